package lib

func tableSort(c *Call) {}
