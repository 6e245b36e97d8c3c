"""Searching for better constants, judged by the log alone.

`reading` takes from a log and its fold what can be judged (`showings`),
`objectives` say how well constants would have done, `space` and `search` look
for better ones, in `workers`, `comparing` says whether they are, and `tuning`
puts these together. `report` and `plot` tell it.
"""
