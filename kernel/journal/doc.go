// Package journal keeps sessions on disk: what their cells committed, readable
// again whatever became of the process that wrote it.
//
// It is not a database and knows nothing of tapes. It keeps [Change]s, which say
// what a session's owner must do to bring an [Image] up to date, and answers the
// image when a session is opened again.
//
// # On disk
//
// A [Store] is a folder. Each session has a numbered folder in it:
//
//	sessions/12/lock        held by the kernel that writes the session; names it
//	sessions/12/log         a header, and records one after another
//	sessions/12/payload-3   one large payload, written once
//
// The header (32 bytes) says the format's version and the program that wrote it.
// A record has a header of its own (32 bytes: a mark, its kind, the length of its
// body, how much of the file was known to be on the disk, and two checksums,
// CRC-32C) and a body. A change is one record: its segments with their nodes as
// a tape encodes them, the large payloads of those beside them, and the payloads
// and tables that differ; small ones in the body, others by the number, length and checksum of
// their file. Where a payload lies in a file of the kernel's already, the session's
// is that file under a further name. A file saved by [Save] is the same, in one
// piece: a header, one change that holds everything, and a record that says that
// nothing is missing.
//
// # Promise
//
// A change is appended by one write before its cell is answered, so that the
// crash of any process loses nothing that was committed. The file is synced at
// most once a second, at snapshots and when it is closed, so that a power loss
// takes at most the last second. Either may leave a tear at the end: what is
// before it is whole, the tear is reported, and cut off (kept aside) when the
// session is next written to. Damage anywhere else, a foreign file and another
// version are refused, and the file is left as it is. The file of a payload goes
// when what replaced it has been synced, and is not synced itself where that comes
// first: a loop that keeps a table many times a second writes one to the disk.
//
// A log that another program has removed, replaced or cut off is noticed when the next
// change is appended ([ErrLost]): its owner then keeps the whole session once more.
//
// When a log has outgrown what it holds, it is replaced by a snapshot: written
// beside, synced, and renamed.
//
// A cell is committed at its end. Parameters of earlier cells that it keeps while it
// runs are written when it keeps them; the steps of a training, when it ends,
// however it ends.
//
// bbolt was considered. Its pages are used again, and a commit is a page that
// points at others: not synced, a power loss can leave it pointing at pages that
// were never written, and cost the whole file; synced, each cell would wait for
// the disk. Here an older byte is never touched.
package journal
