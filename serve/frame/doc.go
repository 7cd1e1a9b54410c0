// Package frame serves a program over a pipe: it fits and applies models to raw column frames. The Python package starts one such process, and
// speaks with it as long as its interpreter lives.
//
// A message is a line of JSON, its header, and raw buffers right behind it, whose lengths the header lists:
//
//	{"sipc": 1, "id": 7, "op": "predict", "args": {"model": "…", "table": {…}}, "buffers": [1200, 800]}\n‹1200 bytes›‹800 bytes›
//
// Numbers in buffers are little-endian. A table is a list of blocks. Each has the names of its columns, their kind and the places of its
// buffers in the message:
//
//	number   float64, NaN for gaps; several columns lie one after the other
//	integer  int64, of at most 2⁵³; likewise
//	boolean  a byte 0 or 1; likewise
//	text     int64 offsets, one more than rows, into a second buffer of UTF-8
//
// Answers have the id of their request. Any number of progress and warning messages come first, and then one result or error. A message
// `cancel` ends the request that it names, also while it is at work. Requests are answered one after the other, in their order.
//
// A header that cannot be read is answered with an error of the id 0. What follows is then skipped up to the next line that begins with
// {"sipc". So the process lives on after any message but one that is cut off by the end of the input.
package frame
