using System.Buffers;
using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>Holds a context as the native verifier reads it. Until it is disposed, the memory to which <see cref="Native"/> points stays
/// where it is.</summary>
internal unsafe ref struct PinnedContext : IDisposable
{
    private MemoryHandle _configuration;
    private MemoryHandle _record;
    private MemoryHandle _periodRecord;
    private MemoryHandle _ended;

    /// <summary>Pins a context.</summary>
    /// <param name="context">The context.</param>
    /// <param name="mayBeEnded">Whether the native call accepts a question about an ended period.</param>
    public PinnedContext(VerifierContext context, bool mayBeEnded = false)
    {
        ArgumentNullException.ThrowIfNull(context);
        if (!context.EndedRecord.IsEmpty && !mayBeEnded)
        {
            throw new ArgumentException("Only heads, history and monitoring accept ended periods.", nameof(context));
        }
        RequireRecord(context.KeptRecord);
        RequireRecord(context.KeptPeriodRecord);
        RequireRecord(context.EndedRecord);
        if (context.KeptSize > 0)
        {
            Check.Length(context.KeptRoot.Span, 32);
            context.KeptRoot.Span.CopyTo(Native.KeptRoot);
        }
        _configuration = context.Anchor.ConfigurationOctets.Pin();
        _record = context.KeptRecord.Pin();
        _periodRecord = context.KeptPeriodRecord.Pin();
        _ended = context.EndedRecord.Pin();
        Native.Anchor = VerifierInputs.MakeAnchor(
            (byte*)_configuration.Pointer, context.Anchor.ConfigurationOctets.Length, context.Anchor.LogKey.PublicKey);
        Native.NowMs = context.NowMs;
        Native.KeptSize = context.KeptSize;
        Native.KeptRecord = PointerTo(context.KeptRecord, _record);
        Native.KeptPeriodRecord = PointerTo(context.KeptPeriodRecord, _periodRecord);
        Native.EndedRecord = PointerTo(context.EndedRecord, _ended);
    }

    /// <summary>The structure to pass to the native verifier.</summary>
    public Interop.Context Native;

    /// <summary>Ends the pinning.</summary>
    public void Dispose()
    {
        _configuration.Dispose();
        _record.Dispose();
        _periodRecord.Dispose();
        _ended.Dispose();
    }

    private static void RequireRecord(ReadOnlyMemory<byte> record)
    {
        if (!record.IsEmpty)
        {
            Check.Length(record.Span, EpochRecord.Length);
        }
    }

    // The verifier takes NULL for a record that the client does not have. Pinning memory without octets may give another pointer.
    private static byte* PointerTo(ReadOnlyMemory<byte> record, MemoryHandle handle) => record.IsEmpty ? null : (byte*)handle.Pointer;
}
