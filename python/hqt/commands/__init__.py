"""One file a verb: parse, call one story, hand its result to report."""
