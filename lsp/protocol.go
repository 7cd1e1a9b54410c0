package lsp

import "encoding/json"

// The messages of the protocol, version 3.17, as far as the server speaks it. The names are the protocol's own.

// A Position is a place in a document, from 0; the character counts units of the agreed encoding.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// A Range is a stretch of a document, its end exclusive.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// A Location is a range in a document.
type Location struct {
	URI   string `json:"uri"`
	Range Range  `json:"range"`
}

// A TextEdit replaces a range.
type TextEdit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

// A DocumentSymbol is a statement in the outline.
type DocumentSymbol struct {
	Name           string `json:"name"`
	Detail         string `json:"detail,omitempty"`
	Kind           int    `json:"kind"`
	Range          Range  `json:"range"`
	SelectionRange Range  `json:"selectionRange"`
}

// MarkupContent is text for the eye.
type MarkupContent struct {
	Kind  string `json:"kind"` // markdown or plaintext
	Value string `json:"value"`
}

// Params are those of any message to the server: each message has some of them.
type Params struct {
	TextDocument struct {
		URI     string `json:"uri"`
		Version int    `json:"version"`
		Text    string `json:"text"`
	} `json:"textDocument"`
	Position       Position        `json:"position"`
	Range          Range           `json:"range"`
	ContentChanges []ContentChange `json:"contentChanges"`
	NewName        string          `json:"newName"`
	Context        struct {
		IncludeDeclaration bool     `json:"includeDeclaration"`
		Only               []string `json:"only"`
	} `json:"context"`

	Capabilities          ClientCapabilities `json:"capabilities"`
	InitializationOptions *Settings          `json:"initializationOptions"`
	Settings              json.RawMessage    `json:"settings"`
	ID                    json.RawMessage    `json:"id"` // of a request that is cancelled
}

// A ContentChange replaces a range, or everything.
type ContentChange struct {
	Range *Range `json:"range,omitempty"`
	Text  string `json:"text"`
}

// ClientCapabilities are what the client can do, as far as the server asks.
type ClientCapabilities struct {
	TextDocument struct {
		Completion struct {
			CompletionItem struct {
				SnippetSupport bool `json:"snippetSupport"`
			} `json:"completionItem"`
		} `json:"completion"`
		Hover struct {
			ContentFormat []string `json:"contentFormat"`
		} `json:"hover"`
	} `json:"textDocument"`
}

// Settings are the user's, the section "sipc" of the editor's.
type Settings struct {
	// Data is the data file whose columns are completed, relative to the spec. Where it is empty, the spec's own word
	// counts, or the file beside it of the same name.
	Data string `json:"data"`
}

// A CodeDescription says where a code is explained.
type CodeDescription struct {
	Href string `json:"href"`
}

// DiagnosticRelated is a place that contributes to a diagnostic.
type DiagnosticRelated struct {
	Location Location `json:"location"`
	Message  string   `json:"message"`
}

// A Diagnostic is shown at a range.
type Diagnostic struct {
	Range           Range               `json:"range"`
	Severity        int                 `json:"severity"`
	Code            string              `json:"code,omitempty"`
	CodeDescription *CodeDescription    `json:"codeDescription,omitempty"`
	Source          string              `json:"source"`
	Message         string              `json:"message"`
	Tags            []int               `json:"tags,omitempty"`
	Related         []DiagnosticRelated `json:"relatedInformation,omitempty"`
}

// PublishDiagnosticsParams are all diagnostics of a document.
type PublishDiagnosticsParams struct {
	URI         string       `json:"uri"`
	Version     int          `json:"version"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// A Hover is what is shown of a place.
type Hover struct {
	Contents MarkupContent `json:"contents"`
	Range    *Range        `json:"range,omitempty"`
}

// A CompletionItem is a text that may be typed.
type CompletionItem struct {
	Label            string         `json:"label"`
	Kind             int            `json:"kind,omitempty"`
	Detail           string         `json:"detail,omitempty"`
	Documentation    *MarkupContent `json:"documentation,omitempty"`
	SortText         string         `json:"sortText,omitempty"`
	InsertTextFormat int            `json:"insertTextFormat,omitempty"`
	TextEdit         *TextEdit      `json:"textEdit,omitempty"`
}

// A CompletionList is what may be typed at a place.
type CompletionList struct {
	IsIncomplete bool             `json:"isIncomplete"`
	Items        []CompletionItem `json:"items"`
}

// A SignatureHelp shows how a call is written.
type SignatureHelp struct {
	Signatures      []Signature `json:"signatures"`
	ActiveSignature int         `json:"activeSignature"`
	ActiveParameter int         `json:"activeParameter"`
}

// A Signature is one way to write a call.
type Signature struct {
	Label         string         `json:"label"`
	Documentation *MarkupContent `json:"documentation,omitempty"`
	Parameters    []Parameter    `json:"parameters"`
}

// A Parameter is a part of a signature, by its place in the label.
type Parameter struct {
	Label         [2]int         `json:"label"` // in UTF-16 units, whatever was agreed upon
	Documentation *MarkupContent `json:"documentation,omitempty"`
}

// A WorkspaceEdit changes documents.
type WorkspaceEdit struct {
	DocumentChanges []DocumentEdit `json:"documentChanges"`
}

// A DocumentEdit changes one document, if it still has the version.
type DocumentEdit struct {
	TextDocument VersionedDocument `json:"textDocument"`
	Edits        []TextEdit        `json:"edits"`
}

// A VersionedDocument names a document at a version.
type VersionedDocument struct {
	URI     string `json:"uri"`
	Version int    `json:"version"`
}

// A CodeAction is something that can be done.
type CodeAction struct {
	Title       string         `json:"title"`
	Kind        string         `json:"kind"`
	Diagnostics []Diagnostic   `json:"diagnostics,omitempty"`
	IsPreferred bool           `json:"isPreferred,omitempty"`
	Edit        *WorkspaceEdit `json:"edit,omitempty"`
}

// An InlayHint is shown within the text.
type InlayHint struct {
	Position Position       `json:"position"`
	Label    string         `json:"label"`
	Kind     int            `json:"kind,omitempty"`
	Tooltip  *MarkupContent `json:"tooltip,omitempty"`
}

// A DocumentHighlight is an occurrence of the name at a place.
type DocumentHighlight struct {
	Range Range `json:"range"`
	Kind  int   `json:"kind"`
}

// A PrepareRename is what would be renamed.
type PrepareRename struct {
	Range       Range  `json:"range"`
	Placeholder string `json:"placeholder"`
}

// The protocol's numbers.
const (
	severityError       = 1
	severityWarning     = 2
	severityInformation = 3

	tagUnnecessary = 1

	markdown  = "markdown"
	plaintext = "plaintext"

	formatSnippet = 2

	symbolModule   = 2
	symbolProperty = 7
	symbolFunction = 12
	symbolConstant = 14
	symbolKey      = 20

	itemFunction   = 3
	itemField      = 5
	itemVariable   = 6
	itemModule     = 9
	itemProperty   = 10
	itemValue      = 12
	itemKeyword    = 14
	itemFile       = 17
	itemEnumMember = 20
	itemOperator   = 24

	hintType = 1

	highlightText  = 1
	highlightWrite = 3
)
