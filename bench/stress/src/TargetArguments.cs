using System.CommandLine;
using Optiks.Client;
using Optiks.Commands;
using Optiks.Protocol;

namespace Optiks.Stress;

/// <summary>
/// Defines the options of all commands. As in <c>optiks</c>, each value comes from the first of these sources that has it: the option, the
/// environment, the data folder, the default.
/// </summary>
internal sealed class TargetArguments
{
    private readonly Option<string[]> _queryUrl =
        new("--query-url")
        {
            Description = $"query-service; repeat or separate by commas for replicas ({ServiceAddresses.QueryOrigin})",
            HelpName = "URL",
            Recursive = true,
        };
    private readonly Option<string[]> _updateUrl =
        new("--update-url")
        {
            Description = $"update-service; likewise ({ServiceAddresses.UpdateOrigin})",
            HelpName = "URL",
            Recursive = true,
        };
    private readonly Option<string> _apiKey =
        new("--api-key")
        {
            Description = "API key, or @FILE (OPTIKS_API_KEY; default: the file api-key in the data folder)",
            HelpName = "KEY",
            Recursive = true,
        };
    private readonly Option<string> _trust =
        new("--trust")
        {
            Description =
            "trust anchor (OPTIKS_TRUST; default: trust.json in the data folder, else what the first replica says of itself)",
            HelpName = "FILE",
            Recursive = true
        };
    private readonly Option<string> _data = new("--data") { Description = "data folder (OPTIKS_DATA)", HelpName = "DIR", Recursive = true };
    private readonly Option<bool> _allowRemote =
        new("--allow-remote") { Description = "allow services that are not on this machine: only your own", Recursive = true };
    private readonly Option<string> _prefix =
        new("--prefix") { Description = "what the names of the keys begin with", DefaultValueFactory = _ => "stress-", Recursive = true };
    private readonly Option<int> _keyCount = new("--key-count")
    {
        Description = "keys in use; prepare takes its N instead",
        HelpName = "N",
        DefaultValueFactory = _ => 1000,
        Recursive = true,
    };
    private readonly Option<int> _manyCount =
        new("--many-count") { Description = "keys with many versions", HelpName = "N", DefaultValueFactory = _ => 16, Recursive = true };
    private readonly Option<int> _valueLength =
        new("--value-length") { Description = "octets of a value", HelpName = "N", DefaultValueFactory = _ => 120, Recursive = true };
    private readonly Option<int> _maxInFlight = new("--max-in-flight")
    {
        Description = "requests in flight at most",
        HelpName = "N",
        DefaultValueFactory = _ => 512,
        Recursive = true,
    };
    private readonly Option<double> _timeout =
        new("--timeout") { Description = "seconds for one request", HelpName = "S", DefaultValueFactory = _ => 10, Recursive = true };

    public void AddTo(Command root)
    {
        Option[] all = [_queryUrl, _updateUrl, _apiKey, _trust, _data, _allowRemote, _prefix, _keyCount, _manyCount, _valueLength,
            _maxInFlight, _timeout];
        foreach (Option option in all)
        {
            root.Options.Add(option);
        }
    }

    public async Task<TargetOptions> ReadAsync(ParseResult parse, bool needsApiKey, CancellationToken cancellationToken)
    {
        List<Uri> query = Urls(parse, _queryUrl, ServiceAddresses.Query(Environment.GetEnvironmentVariable));
        List<Uri> update = Urls(parse, _updateUrl, ServiceAddresses.Update(Environment.GetEnvironmentVariable));
        DataFolder data = parse.GetValue(_data) is { Length: > 0 } path ? new DataFolder(path) : DataFolder.Default();
        string? apiKey = ApiKey(parse, data);
        if (needsApiKey && apiKey is null)
        {
            throw new StressException("This mix needs an API key: set OPTIKS_API_KEY, or give --api-key @FILE.", ExitCodes.Usage);
        }
        if (parse.GetValue(_keyCount) < 1 || parse.GetValue(_manyCount) < 0
            || parse.GetValue(_valueLength) is < 0 or > ProtocolLimits.DefaultMaxValueLength || parse.GetValue(_maxInFlight) < 1
            || !(parse.GetValue(_timeout) > 0))
        {
            throw new StressException(
                $"Counts are 1 or more (--many-count 0 or more), --value-length is 0 to {ProtocolLimits.DefaultMaxValueLength}, --timeout above 0.", ExitCodes.Usage);
        }
        return new TargetOptions
        {
            QueryUrls = query,
            UpdateUrls = update,
            Anchor = await AnchorAsync(parse, data, query[0], cancellationToken),
            ApiKey = apiKey,
            Keys = new KeySpace(parse.GetValue(_prefix)!, parse.GetValue(_keyCount), parse.GetValue(_manyCount),
                parse.GetValue(_valueLength)),
            MaxInFlight = parse.GetValue(_maxInFlight),
            Timeout = TimeSpan.FromSeconds(parse.GetValue(_timeout)),
        };
    }

    private async Task<TrustAnchor> AnchorAsync(ParseResult parse, DataFolder data, Uri first, CancellationToken cancellationToken)
    {
        if ((parse.GetValue(_trust) ?? Variable("OPTIKS_TRUST")) is { } file)
        {
            return TrustAnchor.Load(file);
        }
        if (File.Exists(data.TrustAnchor))
        {
            return TrustAnchor.Load(data.TrustAnchor);
        }
        Console.Error.WriteLine($"warning: no trust anchor given, taking what {first.Authority} says of itself");
        using var http = new HttpClient();
        return await ServerConfiguration.FetchAsync(first, http, cancellationToken);
    }

    private string? ApiKey(ParseResult parse, DataFolder data)
    {
        if ((parse.GetValue(_apiKey) ?? Variable("OPTIKS_API_KEY")) is { } given)
        {
            return given.StartsWith('@') ? ApiKeys.ApiKey.ReadFile(given[1..]) : given;
        }
        return File.Exists(data.ApiKey) ? ApiKeys.ApiKey.ReadFile(data.ApiKey) : null;
    }

    private List<Uri> Urls(ParseResult parse, Option<string[]> option, string otherwise)
    {
        string[] given = parse.GetValue(option) is { Length: > 0 } options ? options : [otherwise];
        var urls = new List<Uri>();
        foreach (string text in given.SelectMany(
            text => text.Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)))
        {
            if (!Uri.TryCreate(text, UriKind.Absolute, out Uri? url) || url.Scheme is not ("http" or "https"))
            {
                throw new StressException($"{option.Name}: {ErrorText.Address(text)} is not an http or https URL.", ExitCodes.Usage);
            }
            if (!url.IsLoopback && !parse.GetValue(_allowRemote))
            {
                throw new StressException(
                    $"{url.Authority} is not on this machine: give --allow-remote if it is yours to load.", ExitCodes.Usage);
            }
            urls.Add(url);
        }
        return urls.Count > 0 ? urls : throw new StressException($"{option.Name} names no URL.", ExitCodes.Usage);
    }

    private static string? Variable(string name) => Environment.GetEnvironmentVariable(name) is { Length: > 0 } value ? value : null;
}
