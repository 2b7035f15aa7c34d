using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Common.Tests;

public sealed partial class ReasonTests
{
    private static readonly IReadOnlyDictionary<int, string> s_specified =
        File.ReadLines(Path.Combine(AppContext.BaseDirectory, "spec", "reasons.md"))
            .Select(line => Row().Match(line))
            .Where(match => match.Success)
            .ToDictionary(match => int.Parse(match.Groups[1].ValueSpan, CultureInfo.InvariantCulture), match => match.Groups[2].Value);

    [Fact]
    public void Numbers_and_names_are_those_of_the_specification()
    {
        Assert.NotEmpty(s_specified);
        Assert.Equal(s_specified.OrderBy(row => row.Key),
            Enum.GetValues<Reason>().ToDictionary(reason => (int)reason, reason => reason.Name()).OrderBy(row => row.Key));
    }

    [Fact]
    public void Names_are_those_of_the_native_library()
    {
        byte[] text = new byte[64];
        // The native verifier does not have the reasons about witnesses' cosignatures and about receipts, because only clients make these
        // checks.
        foreach (Reason reason in Enum.GetValues<Reason>()
            .Where(reason => reason is not (Reason.WitnessQuorum or >= Reason.ReceiptVoucher)))
        {
            Assert.Equal(0, Interop.optiks_reason_name((int)reason, text, (nuint)text.Length, out nuint length));
            Assert.Equal(reason.Name(), Encoding.UTF8.GetString(text, 0, (int)length).TrimEnd('\0'));
        }
        Assert.Equal((int)NativeStatus.Argument, Interop.optiks_reason_name(19, text, (nuint)text.Length, out _));
    }

    [Fact]
    public void Malformed_is_1_to_19()
    {
        Assert.False(Reason.Valid.IsMalformed());
        Assert.True(Reason.MalformedTruncated.IsMalformed());
        Assert.False(Reason.VrfKeyInvalid.IsMalformed());
    }

    [GeneratedRegex(@"^\| (\d+) \| `(\w+)` \|")]
    private static partial Regex Row();
}
