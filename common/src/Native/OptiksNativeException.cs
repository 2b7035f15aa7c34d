using System.Text;

namespace Optiks.Native;

/// <summary>Says that the native library refused a call. A failed verification is a result, never this exception.</summary>
public sealed class OptiksNativeException : Exception
{
    private const int MaxTextLength = 512;

    // When the native library finds a damaged file (EBADMSG), its message contains one of these texts (leaf_log.cc, stored_tree.cc). The
    // tests with damaged files check that the texts agree.
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

    /// <summary>The status that the native library returned.</summary>
    public NativeStatus Status { get; }

    /// <summary>
    /// Whether the native library's own files are damaged, so that it read other bytes than it had written. The property is false if the
    /// disk is full or missing.
    /// </summary>
    public bool IsDamage => Status == NativeStatus.Data
        || (Status == NativeStatus.Io && s_damage.Any(text => Message.Contains(text, StringComparison.Ordinal)));

    /// <summary>
    /// Throws an exception with the native library's error text if <paramref name="status"/> is not success. The text contains no secrets
    /// and no user data.
    /// </summary>
    internal static void ThrowIfFailed(int status, string function)
    {
        if (status != (int)NativeStatus.Ok)
        {
            throw Create(status, function);
        }
    }

    internal static OptiksNativeException Create(int status, string function) => new((NativeStatus)status, function, LastErrorText());

    /// <summary>Returns the native library's error text about the last failed call on this thread.</summary>
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
