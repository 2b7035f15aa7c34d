using Optiks.Client;
using Optiks.Protocol;

namespace Optiks.Cli;

/// <summary>Values shows values to people; --json prints what is cut here.</summary>
internal static class Values
{
    private const int MaxShown = 400;

    public static string Show(ReadOnlySpan<byte> value) => DisplayText.Show(value, MaxShown);

    public static string Show(KeyVersion version) => version.Value is { } value ? Show(value.Span) : "(erased)";
}
