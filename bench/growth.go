package main

import "fmt"

// How much slower GET and SET of random keys become when there are ten times as
// many of them, at a pipeline depth that leaves most of the time to the data.

const growthDepth = 16

func growth(opt options, dir string, launch []launcher) error {
	few, many := opt.Keys, 10*opt.Keys
	fmt.Printf("GET and SET of random keys at P=%d with %d and with %d keys, median of %d runs in turns:\n\n", growthDepth, few, many, opt.Pairs)
	servers, err := startAll(dir, launch)
	defer stopAll(servers)
	if err != nil {
		return err
	}
	loads := []workload{
		{title: "GET", args: func(string) []string { return []string{"GET", "key:__rand_int__"} }},
		{title: "SET", args: func(string) []string { return []string{"SET", "key:__rand_int__", value32} }},
	}
	var rates [2][][]float64 // with few and many keys: workload and server -> median
	loaded := 0
	for size, keys := range []int{few, many} {
		for _, s := range servers {
			if err := s.load(keys-loaded, func(i int) []string { return []string{"SET", keyName(loaded + i), value32} }); err != nil {
				return err
			}
		}
		loaded = keys
		for _, w := range loads {
			among := workload{title: w.title, args: func(sha string) []string {
				return append([]string{"-r", fmt.Sprint(keys)}, w.args(sha)...)
			}}
			all := make([][]float64, len(servers))
			for range opt.Pairs {
				for i, s := range servers {
					rate, err := s.benchmark(opt, among, growthDepth)
					if err != nil {
						return err
					}
					all[i] = append(all[i], rate)
				}
			}
			medians := make([]float64, len(servers))
			for i := range all {
				medians[i] = median(all[i])
			}
			rates[size] = append(rates[size], medians)
		}
	}
	fmt.Printf("| %-4s | %-12s | %12s | %12s | slowdown |\n|------|--------------|%s|----------|\n", "", "server",
		fmt.Sprintf("%d keys", few), fmt.Sprintf("%d keys", many), "-------------:|-------------:")
	for w, load := range loads {
		for i, s := range servers {
			fmt.Printf("| %-4s | %-12s | %12.0f | %12.0f | %8.2f |\n", load.title, s.name, rates[0][w][i], rates[1][w][i], rates[0][w][i]/rates[1][w][i])
		}
	}
	fmt.Println()
	return nil
}
