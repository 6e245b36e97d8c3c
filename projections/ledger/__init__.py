"""What each memory is at a point: its texts, lead, state, intervals, terms and supersession."""
