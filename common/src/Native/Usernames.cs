using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>
/// Converts usernames into the form that the log's configuration prescribes (docs/spec/usernames.md). Stateless, any thread.
/// </summary>
public static class Usernames
{
    /// <summary>Computes the form of a name, or returns why it has no form; the form is then empty.</summary>
    /// <param name="configuration">The log's configuration.</param>
    /// <param name="name">The bytes of the name as the caller gave them.</param>
    /// <param name="form">The form under which the protocol knows the name. In a log with <see cref="UsernameForm.Octets"/>, the form is
    /// the name itself.</param>
    public static UsernameFault Prepare(Configuration configuration, ReadOnlySpan<byte> name, out byte[] form)
    {
        ArgumentNullException.ThrowIfNull(configuration);
        if (configuration.UsernameForm == UsernameForm.Octets)
        {
            bool fits = name.Length is >= 1 && name.Length <= configuration.MaxKeyLength;
            form = fits ? name.ToArray() : [];
            return fits ? UsernameFault.Valid : UsernameFault.Length;
        }
        Span<byte> octets = stackalloc byte[ProtocolLimits.MaxKeyLength];
        OptiksNativeException.ThrowIfFailed(
            Interop.optiks_username_prepare(name, (nuint)name.Length, configuration.MaxKeyLength, out int fault, octets, (nuint)octets.Length, out nuint length),
            nameof(Interop.optiks_username_prepare));
        form = octets[..(int)length].ToArray();
        return (UsernameFault)fault;
    }
}
