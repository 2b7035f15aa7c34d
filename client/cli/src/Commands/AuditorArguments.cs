using System.CommandLine;
using Optiks.Auditor;
using Optiks.Pkcs11;
using Optiks.Secrets;
using Optiks.Tlog;

namespace Optiks.Cli.Commands;

/// <summary>Reads the logs that an auditor follows: from a file for several logs, or from options for one log.</summary>
internal sealed class AuditorArguments
{
    private readonly Option<string> _config =
        new("--config")
        {
            Description =
            "JSON file with the key file, folders, address, webhook and logs; instead of the options for one log",
            HelpName = "FILE"
        };
    private readonly Option<string> _keyFile =
        new("--key-file")
        {
            Description = $"the auditor's key, made by init (default: the key in {AuditorHost.KeyVariable})",
            HelpName = "FILE",
        };
    private readonly Option<ulong> _from =
        new("--from")
        {
            Description = "first epoch of the coverage, for good; unless 0, its record is taken on trust",
            HelpName = "EPOCH",
            DefaultValueFactory = _ => 0,
        };
    private readonly Option<string> _mark =
        new("--mark")
        {
            Description =
            "folder of the mark, which belongs on another disk than the data folder and in no backup (default: auditor-mark in the data folder)",
            HelpName = "DIR"
        };
    private readonly Option<string> _urls = new("--urls")
    {
        Description = "where to listen, several separated by semicolons",
        HelpName = "URL",
        DefaultValueFactory = _ => AuditorSettings.DefaultUrl,
    };
    private readonly Option<int> _interval = new("--interval")
    {
        Description = "seconds between two looks",
        HelpName = "SECONDS",
        DefaultValueFactory = _ => (int)AuditorSettings.DefaultInterval.TotalSeconds,
    };
    private readonly Option<string> _webhook =
        new("--webhook") { Description = "is sent a POST with JSON when something is wrong", HelpName = "URL" };

    public void AddTo(Command command)
    {
        foreach (Option option in (Option[])[_config, _keyFile, _from, _mark, _urls, _interval, _webhook])
        {
            command.Options.Add(option);
        }
    }

    /// <summary>Returns the settings and the key, which the caller disposes.</summary>
    public (AuditorSettings Settings, INoteSigner Key) Read(GlobalOptions options, ParseResult parse, CommandHost host)
    {
        DataFolder data = options.Data(parse, host);
        string state = Path.Combine(data.Root, "auditor");
        string mark = Path.Combine(data.Root, "auditor-mark");
        AuditorSettings settings;
        string? keyFile = parse.GetValue(_keyFile);
        if (parse.GetValue(_config) is { } config)
        {
            IEnumerable<string> given =
                ((Option[])[_keyFile, _from, _mark, _urls, _interval, _webhook]).Where(
                    option => parse.GetResult(option) is { Implicit: false }).Select(option => option.Name)
                .Concat(options.NamesOfOneLog(parse));
            if (given.FirstOrDefault() is { } other)
            {
                throw new UsageException($"Give --config or {other}, not both: the file says it for each log.");
            }
            (settings, keyFile) = AuditorSettings.Read(config, state, mark);
        }
        else
        {
            settings = new AuditorSettings
            {
                Logs = [new AuditedLog
                {
                    TrustAnchor = options.TrustAnchor(parse, host)
                        ?? throw new UsageException(
                            "An auditor trusts nothing on first use: give --trust FILE, with the operator's trust.json brought another way."),
                    QueryUrls = options.QueryUrls(parse, host),
                    FirstEpoch = parse.GetValue(_from),
                }],
                StateFolder = state,
                MarkFolder = parse.GetValue(_mark) ?? mark,
                Urls = parse.GetValue(_urls)!,
                Interval = TimeSpan.FromSeconds(parse.GetValue(_interval)),
                Webhook = parse.GetValue(_webhook) is { } hook ? GlobalOptions.Url(hook, "--webhook") : null,
            };
        }
        return (settings, Key(keyFile, host));
    }

    private static INoteSigner Key(string? file, CommandHost host)
    {
        try
        {
            return file is not null ? CosignerKey.Open(file)
                : host.Environment(AuditorHost.KeyVariable) is { Length: > 0 } text ? CosignerKey.Parse(text, AuditorHost.KeyVariable)
                : throw new UsageException(
                    $"An auditor needs a key of its own: 'optiks auditor init' makes one, and --key-file or {AuditorHost.KeyVariable} names it.");
        }
        catch (SecretsException e)
        {
            throw new UsageException(e.Message, e);
        }
    }
}
