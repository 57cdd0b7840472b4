// Package payloads is where the large payloads of a session lie: in files of its
// folder, which the kernel and the cells' processes map rather than read.
//
// Who makes a payload writes its file once, and nobody changes or shortens it
// afterwards, so that no mapping can come to lack a page. A file is removed when
// nothing of the session is the payload any more; a mapping outlives that, for as
// long as a tensor is made of it.
//
// A file holds a payload's bits and nothing else. What they mean is said by the
// encoding that names the file, which is small, see [topos.Aside].
package payloads
