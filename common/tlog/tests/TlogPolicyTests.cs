using System.Globalization;
using System.Text;

namespace Optiks.Tlog.Tests;

public sealed class TlogPolicyTests
{
    private static readonly DateTimeOffset Now = DateTimeOffset.FromUnixTimeSeconds(1_767_312_000);
    private static readonly TimeSpan Tolerance = TimeSpan.FromSeconds(60);
    private static readonly string Log = Vectors.LogKey.ToString();

    // These keys make no signatures, so it is enough that they differ from each other.
    private static readonly VerifierKey[] Keys =
        [.. Enumerable.Range(1, 40).Select(i => new VerifierKey($"w{i}.example", SignatureType.CosignatureV1, [(byte)i, .. new byte[31]]))];

    private static readonly string Six =
        $"""
        # X and Y are two organizations.
        log {Log} https://log.example/

        witness X1 {Keys[0]} https://x1.example/w
        witness X2 {Keys[1]}
        witness X3 {Keys[2]}
        group X-witnesses 2 X1 X2 X3
        witness Y1 {Keys[3]}
        witness Y2 {Keys[4]}
        witness Y3 {Keys[5]}
        group Y-witnesses any Y1 Y2 Y3
        group X-and-Y all X-witnesses Y-witnesses
        quorum X-and-Y

        """;

    [Fact]
    public void The_example_of_the_text_is_read()
    {
        TlogPolicy policy = Parse(Six);

        Assert.Equal([new PolicyLog(Vectors.LogKey, "https://log.example/")], policy.Logs);
        Assert.Equal(Keys[..6], policy.Witnesses.Select(witness => witness.Key));
        Assert.Equal(["https://x1.example/w", null, null, null, null, null], policy.Witnesses.Select(witness => witness.Url));
        Assert.False(policy.RequiresNone);
    }

    [Theory]
    [InlineData("", false)]
    [InlineData("0 1", false)]
    [InlineData("0 3", false)]
    [InlineData("3 4 5", false)]
    [InlineData("0 1 2", false)]
    [InlineData("0 1 3", true)]
    [InlineData("2 1 5", true)]
    [InlineData("0 1 2 3 4 5", true)]
    [InlineData("0 0 3", false)]
    [InlineData("0 6 3", false)]
    public void Quorum_of_the_example(string cosigners, bool met)
    {
        // The key with the number 6 is not a witness's key of the policy.
        int[] numbers = [.. cosigners.Split(' ', StringSplitOptions.RemoveEmptyEntries)
            .Select(number => int.Parse(number, CultureInfo.InvariantCulture))];

        PolicyVerdict verdict = Parse(Six).Evaluate(numbers.Select(number => By(Keys[number])), Now, Tolerance);

        Assert.Equal(met, verdict.IsQuorumMet);
        Assert.Equal(numbers.Distinct().Where(number => number < 6).Order().Select(number => Keys[number]),
            verdict.Counted.Select(counted => counted.Key));
    }

    [Fact]
    public void None_is_said_and_is_no_witness()
    {
        TlogPolicy none = Parse($"witness a {Keys[0]}\nquorum none\n");

        Assert.True(none.RequiresNone);
        Assert.True(none.Evaluate([], Now, Tolerance).IsQuorumMet);
        Assert.Equal(Keys[0], Assert.Single(none.Evaluate([By(Keys[0]), By(Keys[1])], Now, Tolerance).Counted).Key);
    }

    [Fact]
    public void The_log_and_others_under_a_witness_name_never_count()
    {
        TlogPolicy policy = Parse($"log {Log}\nwitness a {Keys[0]}\nquorum a\n");
        var otherKey = new VerifierKey(Keys[0].Name, SignatureType.CosignatureV1, Keys[1].PublicKey);
        var logAsCosigner = new VerifierKey(Vectors.LogKey.Name, SignatureType.CosignatureV1, Vectors.LogKey.PublicKey);
        VerifiedSignature byLog = new(Vectors.LogKey, Line(Vectors.LogKey), null);

        Assert.False(policy.Evaluate([byLog, By(otherKey), By(logAsCosigner)], Now, Tolerance).IsQuorumMet);
        Assert.True(policy.Evaluate([byLog, By(Keys[0])], Now, Tolerance).IsQuorumMet);
        // A plain signature by the witness's key contains no time, so it does not count as a cosignature.
        Assert.False(policy.Evaluate([By(Keys[0]) with { Timestamp = null }], Now, Tolerance).IsQuorumMet);
    }

    [Fact]
    public void A_time_ahead_of_the_clock_does_not_count_and_hides_no_other()
    {
        TlogPolicy policy = Parse($"witness a {Keys[0]}\nquorum a\n");
        ulong now = (ulong)Now.ToUnixTimeSeconds();

        Assert.False(policy.Evaluate([By(Keys[0], now + 61)], Now, Tolerance).IsQuorumMet);
        Assert.True(policy.Evaluate([By(Keys[0], now + 60)], Now, Tolerance).IsQuorumMet);
        PolicyVerdict both = policy.Evaluate([By(Keys[0], 5), By(Keys[0], now + 61), By(Keys[0], 7), By(Keys[0], 6)], Now, Tolerance);
        Assert.Equal(7UL, Assert.Single(both.Counted).Timestamp);
    }

    [Fact]
    public async Task A_note_is_opened_and_counted()
    {
        TlogPolicy policy = Parse(
            $"log {Log}\nwitness a {Vectors.Witnesses[0]}\nwitness b {Vectors.Witnesses[1]}\ngroup both all a b\nquorum both\n");
        var verifier = policy.Verifier(policy.Logs[0].Key, new BigIntegerEd25519());
        byte[] body = new Checkpoint(Vectors.LogKey.Name, 600, Vectors.Roots[600]).Encode();
        SignedNote note = await SignedNote.SignAsync(body, SeedSigner.Log, CancellationToken.None);
        var lines = new List<NoteSignature>();
        foreach (var witness in Vectors.Keys.GetProperty("witnesses").EnumerateArray())
        {
            lines.Add(
                await Cosignature.SignAsync(
                    body, 1_767_312_000, SeedSigner.From(witness, SignatureType.CosignatureV1), CancellationToken.None));
        }

        Assert.True(verifier.TryOpen(note.WithSignatures(lines).Encode(), out SignedCheckpoint? two, out _));
        Assert.True(policy.Evaluate(two.Cosignatures, Now, Tolerance).IsQuorumMet);
        Assert.True(verifier.TryOpen(note.WithSignatures([lines[0], lines[0]]).Encode(), out SignedCheckpoint? one, out _));
        Assert.False(policy.Evaluate(one.Cosignatures, Now, Tolerance).IsQuorumMet);
    }

    public static TheoryData<string, TlogError, int> Refused()
    {
        string a = $"witness a {Keys[0]}\n";
        string b = $"witness b {Keys[1]}\n";
        return new()
        {
            { "", TlogError.MissingQuorum, 0 },
            { $"log {Log}\n{a}", TlogError.MissingQuorum, 0 },
            { "quorum\n", TlogError.BadPolicyLine, 1 },
            { "quorum none none\n", TlogError.BadPolicyLine, 1 },
            { "quorum none\nquorum none\n", TlogError.SecondQuorum, 2 },
            { $"{a}quorum none\nquorum a\n", TlogError.SecondQuorum, 3 },
            { $"quorum a\n{a}", TlogError.UnknownPolicyName, 1 },
            { $"{a}quorum A\n", TlogError.UnknownPolicyName, 2 },
            { $"{a}quorum a", TlogError.MissingFinalNewline, 2 },
            { $"{a}quorum a\r\n", TlogError.ControlCharacter, 2 },
            { $"{a}# \u007f\nquorum a\n", TlogError.ControlCharacter, 2 },
            { $"{a}quorum\va\n", TlogError.ControlCharacter, 2 },
            { $"{a}quorum\u00a0a\n", TlogError.BadPolicyLine, 2 },
            { "Quorum none\n", TlogError.BadPolicyLine, 1 },
            { "log\nquorum none\n", TlogError.BadPolicyLine, 1 },
            { $"log {Log} https://a https://b\nquorum none\n", TlogError.BadPolicyLine, 1 },
            { $"log {Keys[0]}\nquorum none\n", TlogError.WrongKeyType, 1 },
            { $"witness a {Log}\nquorum a\n", TlogError.WrongKeyType, 1 },
            { $"witness a {Log[..^4]}\nquorum a\n", TlogError.MalformedKey, 1 },
            { "witness a x+00000000+BA==\nquorum a\n", TlogError.MalformedKey, 1 },
            { $"log {Log}\nlog {Log} https://b\nquorum none\n", TlogError.DuplicateKey, 2 },
            { $"{a}witness b {Keys[0]}\nquorum a\n", TlogError.DuplicateKey, 2 },
            { $"{a}witness b {new VerifierKey("other", SignatureType.CosignatureV1, Keys[0].PublicKey)}\nquorum a\n",
                TlogError.DuplicateKey, 2 },
            { $"log {Log}\nwitness a {new VerifierKey("other", SignatureType.CosignatureV1, Vectors.LogKey.PublicKey)}\nquorum a\n",
                TlogError.DuplicateKey, 2 },
            { $"{a}witness a {Keys[1]}\nquorum a\n", TlogError.DuplicatePolicyName, 2 },
            { $"witness none {Keys[0]}\nquorum none\n", TlogError.DuplicatePolicyName, 1 },
            { $"{a}group a 1 a\nquorum a\n", TlogError.DuplicatePolicyName, 2 },
            { $"{a}group none 1 a\nquorum none\n", TlogError.DuplicatePolicyName, 2 },
            { $"{a}group g 1\nquorum g\n", TlogError.BadPolicyLine, 2 },
            { $"{a}group g 1 g\nquorum g\n", TlogError.UnknownPolicyName, 2 },
            { $"{a}group g 1 none\nquorum g\n", TlogError.UnknownPolicyName, 2 },
            { $"{a}group g 1 a b\n{b}quorum g\n", TlogError.UnknownPolicyName, 2 },
            { $"{a}group g 2 a a\nquorum g\n", TlogError.RepeatedMember, 2 },
            { $"{a}{b}group g 1 a\ngroup h 2 g b a\nquorum h\n", TlogError.RepeatedMember, 4 },
            { $"{a}group g 0 a\nquorum g\n", TlogError.BadThreshold, 2 },
            { $"{a}group g 2 a\nquorum g\n", TlogError.BadThreshold, 2 },
            { $"{a}group g 01 a\nquorum g\n", TlogError.BadThreshold, 2 },
            { $"{a}group g +1 a\nquorum g\n", TlogError.BadThreshold, 2 },
            { $"{a}group g 18446744073709551617 a\nquorum g\n", TlogError.BadThreshold, 2 },
            { $"{a}group g ANY a\nquorum g\n", TlogError.BadThreshold, 2 },
        };
    }

    [Theory]
    [MemberData(nameof(Refused))]
    public void Anything_else_is_refused_with_its_line(string text, TlogError expected, int expectedLine)
    {
        Assert.False(TlogPolicy.TryParse(Encoding.UTF8.GetBytes(text), out TlogPolicy? policy, out TlogError error, out int line));
        Assert.Null(policy);
        Assert.Equal((expected, expectedLine), (error, line));
    }

    [Fact]
    public void Spaces_tabs_comments_and_octets_that_are_no_text()
    {
        byte[] name = [0x4B, 0xFF, 0xE2, 0x84, 0xAA];
        byte[] text =
        [
            .. "\t # a comment"u8, 0xFF, .. "\n \t\n"u8,
            .. Encoding.UTF8.GetBytes($" witness\t "), .. name, .. Encoding.UTF8.GetBytes($"  {Keys[0]}\thttps://a/ \n"),
            .. Encoding.UTF8.GetBytes($"witness K {Keys[1]}\n"),
            .. "quorum "u8, .. name, .. "\n"u8,
        ];

        Assert.True(TlogPolicy.TryParse(text, out TlogPolicy? policy, out TlogError error, out _), $"{error}");
        Assert.True(policy.Evaluate([By(Keys[0])], Now, Tolerance).IsQuorumMet);
        Assert.False(policy.Evaluate([By(Keys[1])], Now, Tolerance).IsQuorumMet);
    }

    [Fact]
    public void Limits()
    {
        // The policy has the size that the specification recommends to accept: 32 witnesses, and 32 groups that are nested in each other.
        var text = new StringBuilder();
        for (int i = 0; i < 32; i++)
        {
            text.Append(CultureInfo.InvariantCulture, $"witness w{i} {Keys[i]}\ngroup g{i} all w{i}{(i > 0 ? $" g{i - 1}" : "")}\n");
        }
        TlogPolicy policy = Parse($"{text}quorum g31\n");
        Assert.True(policy.Evaluate(Keys[..32].Select(key => By(key)), Now, Tolerance).IsQuorumMet);
        Assert.False(policy.Evaluate(Keys[1..32].Select(key => By(key)), Now, Tolerance).IsQuorumMet);

        text = new StringBuilder($"witness g0 {Keys[0]}\n");
        for (int i = 1; i < 100; i++)
        {
            text.Append(CultureInfo.InvariantCulture, $"group g{i} 1 g{i - 1}\n");
        }
        Assert.False(TlogPolicy.TryParse(Encoding.UTF8.GetBytes($"{text}quorum g99\n"), out _, out TlogError error, out int line));
        Assert.Equal((TlogError.PolicyTooDeep, 65), (error, line));

        byte[] longest = Encoding.UTF8.GetBytes($"#{new string('x', TlogPolicy.MaxBytes - 14)}\nquorum none\n");
        Assert.True(TlogPolicy.TryParse(longest, out _, out _, out _));
        Assert.False(TlogPolicy.TryParse([(byte)'#', .. longest], out _, out error, out _));
        Assert.Equal(TlogError.TooLarge, error);
    }

    private static TlogPolicy Parse(string text)
    {
        Assert.True(TlogPolicy.TryParse(Encoding.UTF8.GetBytes(text), out TlogPolicy? policy, out TlogError error, out int line),
            $"line {line}: {error}");
        Assert.Equal((TlogError.None, 0), (error, line));
        return policy;
    }

    private static VerifiedSignature By(VerifierKey key, ulong timestamp = 1_767_312_000) => new(key, Line(key), timestamp);

    // Returns a signature line with an invalid signature. It is enough for these tests, because `Evaluate` does not verify signatures.
    private static NoteSignature Line(VerifierKey key) => new(key.Name, key.KeyId, new byte[] { 1 });
}
