using System.Text;

namespace Optiks.Native;

/// <summary>OptiksNativeException says that the native library refused a call. A failed verification is a result, never this.</summary>
public sealed class OptiksNativeException : Exception
{
    private const int MaxTextLength = 512;

    // The library's own texts for EBADMSG (leaf_log.cc, stored_tree.cc), which the tests of damaged files meet.
    private static readonly string[] s_damage = ["the leaf log is damaged", "of the node store is"];

    public OptiksNativeException()
    {
    }

    public OptiksNativeException(string message)
        : base(message)
    {
    }

    public OptiksNativeException(string message, Exception innerException)
        : base(message, innerException)
    {
    }

    private OptiksNativeException(NativeStatus status, string function, string text)
        : base(text.Length == 0 ? $"{function}: {status}" : $"{function}: {status}: {text}")
    {
        Status = status;
    }

    /// <summary>Status that the library returned.</summary>
    public NativeStatus Status { get; }

    /// <summary>IsDamage says whether the library read back something else from its own files than it wrote there, as opposed to a disk that is full or away.</summary>
    public bool IsDamage => Status == NativeStatus.Data || (Status == NativeStatus.Io && s_damage.Any(text => Message.Contains(text, StringComparison.Ordinal)));

    /// <summary>ThrowIfFailed turns a status other than success into an exception with the library's text, which holds no secrets and no user data.</summary>
    internal static void ThrowIfFailed(int status, string function)
    {
        if (status != (int)NativeStatus.Ok)
        {
            throw Create(status, function);
        }
    }

    internal static OptiksNativeException Create(int status, string function) => new((NativeStatus)status, function, LastErrorText());

    /// <summary>LastErrorText is the library's text of the last failed call on this thread.</summary>
    internal static unsafe string LastErrorText()
    {
        Span<byte> text = stackalloc byte[MaxTextLength];
        fixed (byte* start = text)
        {
            Interop.optiks_last_error(start, MaxTextLength);
        }
        int end = text.IndexOf((byte)0);
        return Encoding.UTF8.GetString(end < 0 ? text : text[..end]);
    }
}
