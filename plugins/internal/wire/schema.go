package wire

import (
	"reflect"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/proto"
)

// FromSchema returns the schema as a message. Both have fields of the same names, and the kinds have the same numbers.
func FromSchema(s *plugins.Schema) *proto.Schema {
	out := &proto.Schema{}
	translate(reflect.ValueOf(out).Elem(), reflect.ValueOf(s).Elem())
	return out
}

// ToSchema returns the schema of a message. It does not validate it: see plugins.Schema.Validate.
func ToSchema(s *proto.Schema) *plugins.Schema {
	out := &plugins.Schema{}
	translate(reflect.ValueOf(out).Elem(), reflect.ValueOf(s).Elem())
	return out
}

// translate sets a value to another whose fields have the same names, where one side may point to what the other holds.
func translate(to, from reflect.Value) {
	switch {
	case from.Kind() == reflect.Pointer:
		if !from.IsNil() {
			translate(to, from.Elem())
		}
	case to.Kind() == reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		translate(to.Elem(), from)
	case to.Kind() == reflect.Slice && from.Len() > 0:
		to.Set(reflect.MakeSlice(to.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			translate(to.Index(i), from.Index(i))
		}
	case to.Kind() == reflect.Struct:
		for i := range to.NumField() {
			if f := from.FieldByName(to.Type().Field(i).Name); f.IsValid() && to.Field(i).CanSet() {
				translate(to.Field(i), f)
			}
		}
	case to.Kind() != reflect.Slice:
		to.Set(from.Convert(to.Type()))
	}
}
