using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>
/// Converts usernames into the form that the log's configuration prescribes (docs/spec/usernames.md). The class has no state, and any
/// thread may use it.
/// </summary>
public static class Usernames
{
    /// <summary>Computes the form of a username. If the username has no form, returns the reason, and the parameter <paramref name="form"/>
    /// is empty.</summary>
    /// <param name="configuration">The log's configuration.</param>
    /// <param name="name">The bytes of the username as the user of the program entered them.</param>
    /// <param name="form">The form that the protocol uses for the username. In a log with <see cref="UsernameForm.Octets"/>, the form
    /// equals the username.</param>
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
            Interop.optiks_username_prepare(
                name, (nuint)name.Length, configuration.MaxKeyLength, out int fault, octets, (nuint)octets.Length, out nuint length),
            nameof(Interop.optiks_username_prepare));
        form = octets[..(int)length].ToArray();
        return (UsernameFault)fault;
    }
}
