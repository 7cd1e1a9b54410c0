package dataset

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// A parquetCell is a value as a file stores it: a whole number, a number or bytes.
type parquetCell struct {
	whole int64
	real  float64
	bytes []byte
}

// A parquetColumn is a column of a Parquet file on its way into a table.
type parquetColumn struct {
	name     string
	kind     format.Type
	size     int  // bytes of a value of a fixed length
	optional bool // cells may be gaps
	row      int  // the cells so far
	into     *column
	// number or text reads a cell that is no gap; one of them is nil. A number that is NaN is a gap.
	number func(v parquetCell) float64
	text   func(v parquetCell) string
}

// newParquetColumn decides how cells of a column are read. It refuses columns within columns, and types that are neither numbers nor texts.
func newParquetColumn(path string, e *format.SchemaElement) (*parquetColumn, error) {
	refuse := func(what string) error {
		return &Error{
			Code: CodeFormat, File: path, Column: e.Name, Problem: "the column holds " + what + ", which is not read",
			Mend: "write a table of plain columns: leave this one out, or take it apart into numbers and texts",
		}
	}
	switch {
	case !e.Type.Valid || e.NumChildren.Valid && e.NumChildren.V > 0:
		return nil, refuse("columns of its own (a list, map or struct)")
	case e.RepetitionType.V == format.Repeated:
		return nil, refuse("several values in a row (a list)")
	}
	c := &parquetColumn{name: e.Name, kind: e.Type.V, size: int(e.TypeLength.V), optional: e.RepetitionType.Valid && e.RepetitionType.V == format.Optional}
	if c.kind == format.FixedLenByteArray && c.size <= 0 {
		return nil, refuse(fmt.Sprintf("values of %d bytes", c.size))
	}
	known := true
	if e.LogicalType.Value != nil {
		known = c.logical(e.LogicalType.Value)
	} else if e.ConvertedType.Valid {
		known = c.converted(e.ConvertedType.V, e.Scale.V)
	}
	if !known {
		kind := e.LogicalType.String()
		if kind == "" {
			kind = fmt.Sprintf("%d of the older types", e.ConvertedType.V)
		}
		return nil, refuse(fmt.Sprintf("values of the type %s, stored as %s", kind, c.kind))
	}
	if c.number == nil && c.text == nil {
		c.physical()
	}
	return c, nil
}

// physical decides how cells without a logical type are read.
func (c *parquetColumn) physical() {
	switch c.kind {
	case format.Boolean:
		c.text = func(v parquetCell) string { return strconv.FormatBool(v.whole != 0) }
	case format.Int32, format.Int64:
		c.number = func(v parquetCell) float64 { return float64(v.whole) }
	case format.Float, format.Double:
		c.number = func(v parquetCell) float64 { return v.real }
	case format.Int96:
		c.text = func(v parquetCell) string { return momentText(momentOf(v.bytes)) }
	default:
		c.text = func(v parquetCell) string { return string(v.bytes) }
	}
}

// wants reports whether a logical type suits the physical one.
func (c *parquetColumn) wants(kinds ...format.Type) bool { return slices.Contains(kinds, c.kind) }

// logical decides how cells of a logical type are read. It returns false where they are neither numbers nor texts, or the type is
// stored in a way that it is not meant to be.
func (c *parquetColumn) logical(of format.LogicalTypeValue) (known bool) {
	switch t := of.(type) {
	case *format.DecimalType:
		return c.decimals(t.Scale)
	case *format.DateType:
		c.text = dayText
		return c.wants(format.Int32)
	case *format.TimeType:
		unit := t.Unit.Value
		c.number = func(v parquetCell) float64 { return inUnit(v.whole, unit).Seconds() }
		return c.wants(format.Int32, format.Int64)
	case *format.TimestampType:
		unit := t.Unit.Value
		c.text = func(v parquetCell) string { return momentText(momentIn(v.whole, unit)) }
		return c.wants(format.Int64)
	case *format.IntType:
		if !t.IsSigned {
			c.number = c.unsigned()
		}
		return c.wants(format.Int32, format.Int64)
	case *format.Float16Type:
		c.number = func(v parquetCell) float64 { return halfFloat(v.bytes) }
		return c.wants(format.FixedLenByteArray) && c.size == 2
	case *format.UUIDType:
		c.text = func(v parquetCell) string { return uuidText(v.bytes) }
		return c.wants(format.FixedLenByteArray)
	case *format.StringType, *format.EnumType, *format.JsonType:
		return c.wants(format.ByteArray, format.FixedLenByteArray)
	case *format.NullType:
		return true
	}
	return false
}

// converted does so for the older annotations. A decimal number has so many digits behind the point.
func (c *parquetColumn) converted(t deprecated.ConvertedType, scale int32) (known bool) {
	switch t {
	case deprecated.Decimal:
		return c.decimals(scale)
	case deprecated.Date:
		c.text = dayText
		return c.wants(format.Int32)
	case deprecated.TimestampMillis:
		c.text = func(v parquetCell) string { return momentText(time.UnixMilli(v.whole)) }
		return c.wants(format.Int64)
	case deprecated.TimestampMicros:
		c.text = func(v parquetCell) string { return momentText(time.UnixMicro(v.whole)) }
		return c.wants(format.Int64)
	case deprecated.TimeMillis:
		c.number = func(v parquetCell) float64 { return float64(v.whole) / 1e3 }
		return c.wants(format.Int32)
	case deprecated.TimeMicros:
		c.number = func(v parquetCell) float64 { return float64(v.whole) / 1e6 }
		return c.wants(format.Int64)
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
		c.number = c.unsigned()
		return c.wants(format.Int32, format.Int64)
	case deprecated.Int8, deprecated.Int16, deprecated.Int32, deprecated.Int64:
		return c.wants(format.Int32, format.Int64)
	case deprecated.UTF8, deprecated.Enum, deprecated.Json:
		return c.wants(format.ByteArray, format.FixedLenByteArray)
	}
	return false
}

// add appends a cell to the column.
func (c *parquetColumn) add(path string, v parquetCell, gap bool) error {
	row := c.row
	c.row++
	switch {
	case gap && (c.text != nil || c.into.isText()):
		c.into.declareOnce()
		c.into.addText("")
	case c.text != nil:
		text := c.text(v)
		if err := longCell(path, 0, c.into.name, text); err != nil {
			return err
		}
		if !cleanText(text) {
			return &Error{
				Code: CodeFormat, File: path, Column: c.into.name, Problem: fmt.Sprintf("row %d: %q is not UTF-8 text", row+1, cutShort(text)),
				Mend: "leave the column out, or write its bytes as text",
			}
		}
		c.into.declareOnce()
		c.into.addText(text)
	case gap:
		c.into.addNumber(row, math.NaN())
	default:
		c.into.addNumber(row, c.number(v))
	}
	return nil
}

// unsigned returns how whole numbers are read whose first bit is no sign.
func (c *parquetColumn) unsigned() func(v parquetCell) float64 {
	if c.kind == format.Int32 {
		return func(v parquetCell) float64 { return float64(uint32(v.whole)) }
	}
	return func(v parquetCell) float64 { return float64(uint64(v.whole)) }
}

// decimals reads decimal numbers with so many digits behind the point, each to the nearest number of 64 bits.
func (c *parquetColumn) decimals(scale int32) (known bool) {
	const mostBytes = 256 // of a number; the standard has 38 digits
	whole := c.wants(format.Int32, format.Int64)
	c.number = func(v parquetCell) float64 {
		digits := strconv.FormatInt(v.whole, 10)
		switch {
		case len(v.bytes) > mostBytes:
			return math.Inf(1)
		case !whole:
			digits = signedBytes(v.bytes).String()
		}
		number, err := strconv.ParseFloat(digits+"e"+strconv.Itoa(-int(scale)), 64)
		if err != nil && !math.IsInf(number, 0) {
			return math.NaN()
		}
		return number
	}
	return whole || c.wants(format.ByteArray, format.FixedLenByteArray)
}

// signedBytes returns the number of two's complement in bytes, the highest first.
func signedBytes(b []byte) *big.Int {
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}

// widened returns the number that a number of 32 bits is written as: 0.1 and not 0.10000000149.
func widened(v float32) float64 {
	if v != v || math.IsInf(float64(v), 0) {
		return float64(v)
	}
	wide, _ := strconv.ParseFloat(strconv.FormatFloat(float64(v), 'g', -1, 32), 64)
	return wide
}

// halfFloat returns a number of 16 bits.
func halfFloat(b []byte) float64 {
	if len(b) != 2 {
		return math.NaN()
	}
	bits := binary.LittleEndian.Uint16(b)
	exponent, fraction := int(bits>>10&0x1f), float64(bits&0x3ff)
	var v float64
	switch {
	case exponent == 0x1f && fraction != 0:
		return math.NaN()
	case exponent == 0x1f:
		v = math.Inf(1)
	case exponent == 0:
		v = math.Ldexp(fraction, -24)
	default:
		v = math.Ldexp(fraction+0x400, exponent-25)
	}
	if bits&0x8000 != 0 {
		return -v
	}
	return v
}

// dayText returns a date, which is stored as days since 1970.
func dayText(v parquetCell) string {
	return time.Unix(v.whole*24*60*60, 0).UTC().Format(time.DateOnly)
}

// momentIn returns the moment so many units after the beginning of 1970.
func momentIn(n int64, unit format.TimeUnitValue) time.Time {
	switch unit.(type) {
	case *format.MilliSeconds:
		return time.UnixMilli(n)
	case *format.MicroSeconds:
		return time.UnixMicro(n)
	}
	return time.Unix(0, n)
}

// inUnit returns so many units of time.
func inUnit(n int64, unit format.TimeUnitValue) time.Duration {
	switch unit.(type) {
	case *format.MilliSeconds:
		return time.Duration(n) * time.Millisecond
	case *format.MicroSeconds:
		return time.Duration(n) * time.Microsecond
	}
	return time.Duration(n)
}

// momentOf returns the moment that older programs store as nanoseconds of a day and the number of the day by Julian's count.
func momentOf(b []byte) time.Time {
	const julian1970 = 2440588
	return time.Unix((int64(binary.LittleEndian.Uint32(b[8:]))-julian1970)*24*60*60, int64(binary.LittleEndian.Uint64(b)))
}

// momentText returns a moment as a date, with the time of day where it is not midnight.
func momentText(t time.Time) string {
	t = t.UTC()
	if t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0 && t.Nanosecond() == 0 {
		return t.Format(time.DateOnly)
	}
	return t.Format("2006-01-02T15:04:05.999999999")
}

// uuidText returns a UUID as it is written.
func uuidText(b []byte) string {
	text := hex.EncodeToString(b)
	const length = 32
	if len(text) != length {
		return text
	}
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}
