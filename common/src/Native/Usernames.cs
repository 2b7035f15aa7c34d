using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>Usernames have one form in a log whose configuration says so (docs/spec/usernames.md). Stateless, any thread.</summary>
public static class Usernames
{
    /// <summary>Prepare gives the form of a name, or says why it has none; then the form is empty.</summary>
    /// <param name="configuration">The log's.</param>
    /// <param name="name">Octets as somebody gave them.</param>
    /// <param name="form">What the protocol knows the name by; in a log of <see cref="UsernameForm.Octets"/> the name itself.</param>
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
