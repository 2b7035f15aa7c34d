namespace Optiks.Db.Transfer;

/// <summary>
/// The kind of a row in an export. An export has the kinds in this order, except that erasures and copies come before the head. The numbers
/// are stored and never change their meaning.
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
