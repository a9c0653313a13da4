"""redis-py and unittest: minikv exec -- python3 -m unittest discover docs/recipes/python"""

import os
import unittest

import redis


class LockTest(unittest.TestCase):
    def setUp(self):
        self.kv = redis.Redis.from_url(os.environ["REDIS_URL"], decode_responses=True)
        self.kv.flushall()
        self.kv.execute_command("MINIKV.FAULT", "RESET")
        self.kv.execute_command("MINIKV.CLOCK", "FREEZE")

    def tearDown(self):
        self.kv.close()

    def test_lock_expires(self):
        self.assertTrue(self.kv.set("lock", "me", nx=True, ex=30))
        self.assertIsNone(self.kv.set("lock", "you", nx=True, ex=30))
        self.kv.execute_command("MINIKV.CLOCK", "ADVANCE", 30_000)  # takes no time
        self.assertTrue(self.kv.set("lock", "you", nx=True, ex=30))

    def test_lost_reply(self):
        self.kv.execute_command("MINIKV.FAULT", "ADD", "COMMAND", "set", "NTH", 1, "CLOSE", "AFTER")
        with self.assertRaises(redis.ConnectionError):
            self.kv.set("lock", "me", nx=True)
        self.assertEqual(self.kv.get("lock"), "me")


if __name__ == "__main__":
    unittest.main()
