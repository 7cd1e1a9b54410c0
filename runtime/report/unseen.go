package report

// An Unseen says of a column what rows hold that no training row does: texts or numbers.
type Unseen struct {
	Column  string         `json:"column"`
	Rows    int            `json:"rows"` // how many rows hold it
	Of      int            `json:"of"`
	First   string         `json:"row"` // the id of the first of them, or of that with the farthest number
	Texts   []UnseenText   `json:"texts,omitempty"`
	Known   []string       `json:"known,omitempty"` // the texts of the training rows
	Numbers *UnseenNumbers `json:"numbers,omitempty"`
}

// An UnseenText is a text that no training row has.
type UnseenText struct {
	Text  string `json:"text"`
	Rows  int    `json:"rows"`
	Close string `json:"close,omitempty"` // the known text that it may be meant to be
}

// UnseenNumbers lie outside the range of the training rows.
type UnseenNumbers struct {
	Worst float64 `json:"worst"` // the farthest outside
	Low   float64 `json:"low"`   // of the training rows
	High  float64 `json:"high"`
}
