using System.Buffers.Binary;
using Optiks.Native;

namespace Optiks.UpdateTask.Periods;

/// <summary>CopyTag is the tag of a row of copies, which stands for its key in the period that is next.</summary>
internal readonly record struct CopyTag(UInt128 Value)
{
    /// <summary>Of a row.</summary>
    public static CopyTag Of(in LeafRow row) => new(BinaryPrimitives.ReadUInt128BigEndian(row.Tag));
}
