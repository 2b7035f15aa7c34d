namespace Optiks.Db.Transfer;

/// <summary>
/// The kind of a row in an export. Rows come in this order, except that erasures and copies come before the head. The numbers never change
/// their meaning.
/// </summary>
internal enum RowKind : byte
{
    Period = 1,
    Epoch = 2,
    Leaf = 3,
    Request = 4,
    Pending = 5,
    Outcome = 6,
    Head = 7,
    Erasure = 8,
    Copy = 9,
    End = 255,
}
