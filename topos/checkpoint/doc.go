// Package checkpoint keeps and restores payloads of parameters: pure state, no
// graph is touched.
//
// A [Checkpoint] is payloads under paths, in order. It is made of a table by
// position or by the paths of a module, and restored into a table likewise;
// what does not fit is an error that names the path, the shapes and the
// elements, and changes nothing. [Checkpoint.Encode] and [Decode] write and read
// it as a safetensors file, which other programs read too.
package checkpoint
