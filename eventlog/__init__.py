"""The log: the only source of truth. Its vocabulary is `events`, its promises are `log`, its files are `lmdb_log`."""
