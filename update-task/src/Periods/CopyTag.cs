using System.Buffers.Binary;
using Optiks.Native;

namespace Optiks.UpdateTask.Periods;

/// <summary>Holds the tag of a row of copies. The tag identifies the row's key in the next period.</summary>
internal readonly record struct CopyTag(UInt128 Value)
{
    /// <summary>Returns the tag of a row of copies.</summary>
    public static CopyTag From(in LeafRow row) => new(BinaryPrimitives.ReadUInt128BigEndian(row.Tag));
}
