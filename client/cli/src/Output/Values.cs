using System.Text;
using System.Text.Unicode;
using Optiks.Client;
using Optiks.Protocol;

namespace Optiks.Cli;

/// <summary>Values shows values to people: text as text, everything else in base64url, nothing that a terminal would act on.</summary>
internal static class Values
{
    private const int MaxShown = 400;

    public static string Show(ReadOnlySpan<byte> value)
    {
        bool isText = Utf8.IsValid(value) && !Encoding.UTF8.GetString(value).Any(char.IsControl);
        string shown = isText ? Encoding.UTF8.GetString(value) : "b64:" + Base64UrlText.Encode(value);
        return shown.Length <= MaxShown ? shown : $"{shown[..MaxShown]}... ({value.Length} octets; --json prints all)";
    }

    public static string Show(KeyVersion version) => version.Value is { } value ? Show(value.Span) : "(erased)";
}
