using System.CommandLine;
using System.Security.Cryptography;
using System.Text;
using Optiks.Commands;
using Optiks.Protocol;
using Optiks.Secrets;

namespace Optiks.Cli;

/// <summary>
/// The options of every command. A command takes each value from the first of these sources that has it: the option, the environment
/// variable, the data folder, the default.
/// </summary>
internal sealed class GlobalOptions
{
    private readonly Option<string[]> _queryUrl = new("--query-url")
    {
        Description = $"query-service; give several replicas to fall back on ({ServiceAddresses.QueryOrigin})",
        HelpName = "URL",
        Recursive = true,
    };

    private readonly Option<string> _updateUrl = new("--update-url")
    {
        Description = $"update-service ({ServiceAddresses.UpdateOrigin})",
        HelpName = "URL",
        Recursive = true,
    };

    private readonly Option<string> _apiKey = new("--api-key")
    {
        Description =
            "API key, or @FILE to read it from a file of mode 0600 (OPTIKS_API_KEY; default: the file api-key in the data folder)",
        HelpName = "KEY",
        Recursive = true,
    };

    private readonly Option<string> _tokenFile = new("--token-file")
    {
        Description = "file of mode 0600 with a token of the operator's account system, to use instead of an API key",
        HelpName = "FILE",
        Recursive = true,
    };

    private readonly Option<bool> _authorizeLookups = new("--authorize-lookups")
    {
        Description =
            "where the operator has closed lookups, send them with the API key or token: the operator then knows who looks up whom",
        Recursive = true,
    };

    private readonly Option<string> _trust = new("--trust")
    {
        Description = "trust anchor: the log's configuration and key (OPTIKS_TRUST; default: trust.json in the data folder)",
        HelpName = "FILE",
        Recursive = true,
    };

    private readonly Option<string> _data = new("--data")
    {
        Description = "folder for what is remembered (OPTIKS_DATA; default ~/.local/share/optiks)",
        HelpName = "DIR",
        Recursive = true,
    };

    private readonly Option<bool> _json = new("--json")
    {
        Description = "print one JSON object a line, with verdict, reason and epoch",
        Recursive = true,
    };

    /// <summary>The option for JSON output. The code that reports failures also reads this option.</summary>
    public Option<bool> JsonOption => _json;

    public void AddTo(Command root)
    {
        root.Options.Add(_queryUrl);
        root.Options.Add(_updateUrl);
        root.Options.Add(_apiKey);
        root.Options.Add(_tokenFile);
        root.Options.Add(_authorizeLookups);
        root.Options.Add(_trust);
        root.Options.Add(_data);
        root.Options.Add(_json);
    }

    public bool AuthorizeLookups(ParseResult parse) => parse.GetValue(_authorizeLookups);

    public bool Json(ParseResult parse) => parse.GetValue(_json);

    public IReadOnlyList<Uri> QueryUrls(ParseResult parse, CommandHost host)
    {
        string[] given = parse.GetValue(_queryUrl) is { Length: > 0 } options ? options : [ServiceAddresses.Query(host.Environment)];
        return [.. given.SelectMany(text => text.Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries))
            .Select(text => Url(text, "--query-url"))];
    }

    public Uri UpdateUrl(ParseResult parse, CommandHost host) =>
        Url(parse.GetValue(_updateUrl) ?? ServiceAddresses.Update(host.Environment), "--update-url");

    public DataFolder Data(ParseResult parse, CommandHost host) => parse.GetValue(_data) is { Length: > 0 } path
        ? new DataFolder(path)
        : Variable(host, DataFolder.Variable) is { } variable ? new DataFolder(variable) : DataFolder.Default();

    /// <summary>
    /// Returns the names of those options on the command line that concern a single log: options for the log's servers and for its trust
    /// anchor.
    /// </summary>
    public IEnumerable<string> NamesOfOneLog(ParseResult parse) =>
        ((Option[])[_queryUrl, _trust]).Where(option => parse.GetResult(option) is { Implicit: false }).Select(option => option.Name);

    /// <summary>Returns the token to send instead of an API key; null if the options name no token.</summary>
    public string? Token(ParseResult parse)
    {
        try
        {
            return parse.GetValue(_tokenFile) is not { } file ? null
                : parse.GetValue(_apiKey) is null ? ReadToken(file)
                : throw new UsageException("Give --api-key or --token-file, not both.");
        }
        catch (SecretsException e)
        {
            throw new UsageException(e.Message, e);
        }
    }

    /// <summary>
    /// Returns the API key. If there is no API key, the result is null and not an error, because most commands need no API key.
    /// </summary>
    public string? ApiKey(ParseResult parse, CommandHost host)
    {
        try
        {
            if ((parse.GetValue(_apiKey) ?? Variable(host, "OPTIKS_API_KEY")) is { } given)
            {
                return given.StartsWith('@') ? Optiks.ApiKeys.ApiKey.ReadFile(given[1..]) : Checked(given);
            }
            string file = Data(parse, host).ApiKey;
            return File.Exists(file) ? Optiks.ApiKeys.ApiKey.ReadFile(file) : null;
        }
        catch (SecretsException e)
        {
            throw new UsageException(e.Message, e);
        }
    }

    /// <summary>Returns the trust anchor that the options name, or else the anchor in the data folder; null if there is neither.</summary>
    public TrustAnchor? TrustAnchor(ParseResult parse, CommandHost host)
    {
        if ((parse.GetValue(_trust) ?? Variable(host, "OPTIKS_TRUST")) is { } file)
        {
            return Optiks.Protocol.TrustAnchor.Load(file);
        }
        string path = Data(parse, host).TrustAnchor;
        return File.Exists(path) ? Optiks.Protocol.TrustAnchor.Load(path) : null;
    }

    private static string? Variable(CommandHost host, string name) => host.Environment(name) is { Length: > 0 } value ? value : null;

    private static string ReadToken(string path)
    {
        byte[] octets = SecretFile.Read(path);
        string token = Encoding.UTF8.GetString(octets).TrimEnd('\n');
        CryptographicOperations.ZeroMemory(octets);
        return token.Length <= ProtocolLimits.MaxToken && token.Count(c => c == '.') == 2
            && token.All(c => char.IsAsciiLetterOrDigit(c) || c is '-' or '_' or '.')
            ? token
            : throw new UsageException(
                $"{path} does not hold a token: three parts of base64url with dots between them, {ProtocolLimits.MaxToken} characters at most.");
    }

    private static string Checked(string key) => Optiks.ApiKeys.ApiKey.IsWellFormed(key)
        ? key
        : throw new UsageException($"That is not an API key: it starts with {Optiks.ApiKeys.ApiKey.Prefix} and has 43 characters more.");

    /// <summary>Parses the URL of a server from an option.</summary>
    public static Uri Url(string text, string option) =>
        !Uri.TryCreate(text, UriKind.Absolute, out Uri? url) || url.Scheme is not ("http" or "https")
            ? throw new UsageException($"{option}: {ErrorText.Address(text)} is not an http or https URL.")
        : url.Query.Length + url.Fragment.Length + url.UserInfo.Length > 0
            ? throw new UsageException(
                $"{option}: a server's URL has no user, query or fragment. A path stays before those of the requests.")
            : url;
}
