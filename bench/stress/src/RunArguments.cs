using System.CommandLine;
using System.Globalization;
using Optiks.Protocol;
using Optiks.Stress.Load;

namespace Optiks.Stress;

/// <summary>Defines the options of the command <c>run</c>.</summary>
internal sealed class RunArguments
{
    private readonly Option<string> _mix =
        new("--mix")
        {
            Description = "operations by weight: hit, absent, versions, history, monitor, audit, update, batch:N",
            HelpName = "MIX",
            DefaultValueFactory = _ => "hit=85,absent=5,versions=3,history=1,monitor=1,audit=1,update=4",
        };
    private readonly Option<double> _rate =
        new("--rate") { Description = "requests a second", HelpName = "N", DefaultValueFactory = _ => 200 };
    private readonly Option<Arrivals> _arrivals =
        new("--arrivals") { Description = "spacing of the requests", DefaultValueFactory = _ => Arrivals.Poisson };
    private readonly Option<double> _duration =
        new("--duration") { Description = "measured seconds", HelpName = "S", DefaultValueFactory = _ => 30 };
    private readonly Option<double> _warmUp =
        new("--warm-up") { Description = "seconds before, not counted", HelpName = "S", DefaultValueFactory = _ => 3 };
    private readonly Option<double?> _ramp =
        new("--ramp")
        {
            Description = "multiply the rate by this after each stage, until saturation or the end of --duration",
            HelpName = "FACTOR",
        };
    private readonly Option<double> _stage =
        new("--stage") { Description = "seconds of a stage", HelpName = "S", DefaultValueFactory = _ => 10 };
    private readonly Option<double?> _window =
        new("--window") { Description = "seconds: --json has figures of each window of this length too", HelpName = "S" };
    private readonly Option<double> _limitP99 = new("--limit-p99")
    {
        Description = "milliseconds: a stage whose p99 is above is saturated",
        HelpName = "MS",
        DefaultValueFactory = _ => 500,
    };
    private readonly Option<double> _limitErrors =
        new("--limit-errors")
        {
            Description = "share of failed and unsent requests above which a stage is saturated",
            HelpName = "SHARE",
            DefaultValueFactory = _ => 0.01,
        };
    private readonly Option<double> _late = new("--late")
    {
        Description = "seconds after its time that a request may still be sent",
        HelpName = "S",
        DefaultValueFactory = _ => 1,
    };
    private readonly Option<string> _keys = new("--keys")
    {
        Description = "keys of lookups: uniform, or zipf:EXPONENT",
        HelpName = "LAW",
        DefaultValueFactory = _ => "zipf:0.99",
    };
    private readonly Option<string> _updateKeys =
        new("--update-keys")
        {
            Description = $"keys of updates; a server holds {ProtocolLimits.MaxPending} pending of one key at most",
            HelpName = "LAW",
            DefaultValueFactory = _ => "uniform",
        };
    private readonly Option<double> _verify =
        new("--verify") { Description = "share of the answers to verify", HelpName = "SHARE", DefaultValueFactory = _ => 1 };
    private readonly Option<double> _follow =
        new("--follow")
        {
            Description = "share of the updated keys whose updates are followed to publication",
            HelpName = "SHARE",
            DefaultValueFactory = _ => 1,
        };
    private readonly Option<int> _checkKeys = new("--check-keys")
    {
        Description = "updated keys to compare with their history, at most",
        HelpName = "N",
        DefaultValueFactory = _ => 10_000,
    };
    private readonly Option<double> _settle =
        new("--settle")
        {
            Description = "seconds that accepted updates may take to be published after the load",
            HelpName = "S",
            DefaultValueFactory = _ => 120,
        };
    private readonly Option<int> _seed =
        new("--seed") { Description = "of all random choices", HelpName = "N", DefaultValueFactory = _ => 1 };
    private readonly Option<string> _json = new("--json") { Description = "write the figures there", HelpName = "FILE" };
    private readonly Option<string> _report = new("--report") { Description = "write a report with plots there (HTML)", HelpName = "FILE" };

    public void AddTo(Command command)
    {
        Option[] all =
        [
            _mix, _rate, _arrivals, _duration, _warmUp, _ramp, _stage, _window, _limitP99, _limitErrors, _late, _keys, _updateKeys, _verify,
            _follow, _checkKeys, _settle, _seed, _json, _report,
        ];
        foreach (Option option in all)
        {
            command.Options.Add(option);
        }
    }

    /// <summary>
    /// Returns the values of the options. If an option is invalid, throws <see cref="StressException"/> or <see cref="FormatException"/>
    /// with a sentence for the user.
    /// </summary>
    public RunOptions Read(ParseResult parse)
    {
        double? ramp = parse.GetValue(_ramp);
        Require(double.IsFinite(parse.GetValue(_rate)) && parse.GetValue(_rate) > 0, "--rate is above 0.");
        Require(parse.GetValue(_duration) is >= 1 and <= 86_400, "--duration is 1 to 86400 seconds.");
        Require(parse.GetValue(_warmUp) is >= 0 and <= 3600, "--warm-up is 0 to 3600 seconds.");
        Require(ramp is null or (> 1 and <= 10), "--ramp is above 1, and 10 at most.");
        Require(parse.GetValue(_stage) >= 2, "--stage is 2 seconds or more.");
        Require(parse.GetValue(_window) is null or (>= 1 and <= 3600), "--window is 1 to 3600 seconds.");
        Require(parse.GetValue(_limitP99) > 0, "--limit-p99 is above 0.");
        Require(parse.GetValue(_limitErrors) is >= 0 and <= 1, "--limit-errors is a share, 0 to 1.");
        Require(parse.GetValue(_late) is > 0 and <= 3600, "--late is above 0, and 3600 at most.");
        Require(parse.GetValue(_verify) is >= 0 and <= 1, "--verify is a share, 0 to 1.");
        Require(parse.GetValue(_follow) is >= 0 and <= 1, "--follow is a share, 0 to 1.");
        Require(parse.GetValue(_checkKeys) >= 0, "--check-keys is 0 or more.");
        Require(parse.GetValue(_settle) > 0, "--settle is above 0.");
        return new RunOptions
        {
            Mix = Mix.Parse(parse.GetValue(_mix)!),
            Arrivals = parse.GetValue(_arrivals),
            Rate = parse.GetValue(_rate),
            Duration = parse.GetValue(_duration),
            WarmUp = parse.GetValue(_warmUp),
            RampFactor = ramp,
            StageLength = parse.GetValue(_stage),
            Window = parse.GetValue(_window),
            LimitLatency = parse.GetValue(_limitP99) / 1000,
            LimitErrors = parse.GetValue(_limitErrors),
            Late = parse.GetValue(_late),
            ZipfExponent = Exponent(parse.GetValue(_keys)!, "--keys"),
            UpdateZipfExponent = Exponent(parse.GetValue(_updateKeys)!, "--update-keys"),
            VerifyShare = parse.GetValue(_verify),
            FollowShare = parse.GetValue(_follow),
            CheckKeys = parse.GetValue(_checkKeys),
            SettleSeconds = parse.GetValue(_settle),
            Seed = parse.GetValue(_seed),
        };
    }

    public string? JsonPath(ParseResult parse) => parse.GetValue(_json);

    public string? ReportPath(ParseResult parse) => parse.GetValue(_report);

    private static double Exponent(string law, string option)
    {
        const string Zipf = "zipf:";
        if (law == "uniform")
        {
            return 0;
        }
        return law.StartsWith(Zipf, StringComparison.Ordinal)
            && double.TryParse(law[Zipf.Length..], NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double exponent)
            && exponent is > 0 and <= 10
            ? exponent
            : throw new StressException($"{option} is uniform, or zipf:EXPONENT with an exponent above 0 and 10 at most.", ExitCodes.Usage);
    }

    private static void Require(bool condition, string sentence)
    {
        if (!condition)
        {
            throw new StressException(sentence, ExitCodes.Usage);
        }
    }
}
