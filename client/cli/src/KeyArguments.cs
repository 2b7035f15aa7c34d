using System.CommandLine;
using System.CommandLine.Parsing;
using System.Text;
using Optiks.Protocol;

namespace Optiks.Cli;

/// <summary>The KEY or NAME arguments of a command. They are text, or base64url if the user gave <c>--b64</c>.</summary>
internal sealed class KeyArguments
{
    private readonly Argument<string[]> _keys;
    private readonly Option<bool> _base64;

    public KeyArguments(ArgumentArity arity, string description, string name = "KEY")
    {
        _keys = new Argument<string[]>(name) { Arity = arity, Description = description };
        _base64 = new Option<bool>("--b64") { Description = $"{name} is base64url of its octets" };
    }

    public void AddTo(Command command)
    {
        command.Arguments.Add(_keys);
        command.Options.Add(_base64);
    }

    public IReadOnlyList<ReadOnlyMemory<byte>> Read(ParseResult parse) =>
        [.. (parse.GetValue(_keys) ?? []).Select(text => Decode(parse, NotAnOption(parse, text)))];

    /// <summary>Decodes the text of an option that names a key, in the same way as the KEY arguments.</summary>
    public ReadOnlyMemory<byte> Decode(ParseResult parse, string text) => Decode(text, parse.GetValue(_base64));

    /// <summary>
    /// Returns the text unless it looks like a mistyped option, which would otherwise count as a key or a value. To give a key or value
    /// that starts with a dash, the user puts it after <c>--</c>.
    /// </summary>
    public static string NotAnOption(ParseResult parse, string text) =>
        text.StartsWith('-') && !parse.Tokens.Any(token => token.Type == TokenType.DoubleDash)
            ? throw new UsageException(
                $"There is no option {text}. If it is a key or a value, put -- before the first argument that starts with a dash.")
            : text;

    /// <summary>Returns the octets of a key or name.</summary>
    public static ReadOnlyMemory<byte> Decode(string text, bool base64)
    {
        byte[] key = !base64 ? Encoding.UTF8.GetBytes(text)
            : Base64UrlText.TryDecode(text, out byte[]? octets) ? octets
            : throw new UsageException($"{text} is not base64url without padding.");
        return key.Length is >= 1 and <= ProtocolLimits.MaxKeyLength
            ? key
            : throw new UsageException($"A key has 1 to {ProtocolLimits.MaxKeyLength} octets, not {key.Length}.");
    }
}
