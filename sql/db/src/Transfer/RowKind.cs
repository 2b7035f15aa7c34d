namespace Optiks.Db.Transfer;

/// <summary>RowKind of a row of an export; rows come in this order, but erasures and copies before the head. Numbers never change their meaning.</summary>
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
