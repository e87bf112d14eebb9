package policies

import "gopkg.in/yaml.v3"

// FormatYAML writes a JSON text as YAML, its fields in the order that they have.
// A text that some YAML reader would take for something else is put in quotes.
func FormatYAML(json []byte) ([]byte, error) {
	var n yaml.Node
	if err := yaml.Unmarshal(json, &n); err != nil {
		return nil, err
	}
	block(&n)
	return yaml.Marshal(&n)
}

// block takes the flow style of JSON away; empty collections keep it.
func block(n *yaml.Node) {
	if len(n.Content) > 0 {
		n.Style = 0
	} else if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		n.Style = 0
		if odd(n.Value, n.Tag) != "" {
			n.Style = yaml.DoubleQuotedStyle
		}
	}
	for _, c := range n.Content {
		block(c)
	}
}
