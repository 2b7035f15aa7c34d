using System.CommandLine;
using Optiks.Stress.Load;

namespace Optiks.Stress.Tests;

public sealed class ArgumentTests
{
    [Fact]
    public void The_options_of_a_run_are_read()
    {
        RunOptions options = Read("--mix", "hit=1", "--rate", "50", "--arrivals", "constant", "--keys", "zipf:1.2", "--verify", "0.25",
            "--ramp", "1.5", "--limit-p99", "200");
        Assert.Equal(50, options.Rate);
        Assert.Equal(Arrivals.Constant, options.Arrivals);
        Assert.Equal(1.2, options.ZipfExponent);
        Assert.Equal(0, options.UpdateZipfExponent);
        Assert.Equal(0.25, options.VerifyShare);
        Assert.Equal(1.5, options.RampFactor);
        Assert.Equal(0.2, options.LimitLatency, 9);
    }

    [Theory]
    [InlineData("--rate", "0")]
    [InlineData("--verify", "1.1")]
    [InlineData("--follow", "-0.1")]
    [InlineData("--duration", "0")]
    [InlineData("--ramp", "1")]
    [InlineData("--keys", "zipf")]
    [InlineData("--keys", "zipf:-1")]
    [InlineData("--late", "0")]
    public void Values_out_of_bounds_are_refused(string option, string value) =>
        Assert.Equal(ExitCodes.Usage, Assert.Throws<StressException>(() => Read(option, value)).ExitCode);

    [Fact]
    public async Task Other_machines_are_refused_unless_allowed()
    {
        var arguments = new TargetArguments();
        var root = new RootCommand();
        arguments.AddTo(root);
        StressException refused = await Assert.ThrowsAsync<StressException>(
            () => arguments.ReadAsync(root.Parse(["--query-url", "http://192.0.2.1:8301"]), false, TestContext.Current.CancellationToken));
        Assert.Contains("--allow-remote", refused.Message, StringComparison.Ordinal);
        // With --allow-remote, the program accepts the URL and then reports the next wrong option. It sends no request.
        StressException control = await Assert.ThrowsAsync<StressException>(
            () => arguments.ReadAsync(root.Parse(["--query-url", "http://192.0.2.1:8301", "--allow-remote", "--key-count", "0"]), false,
                TestContext.Current.CancellationToken));
        Assert.Contains("Counts", control.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Help_is_there_and_unknown_options_are_usage_errors()
    {
        Assert.Equal(ExitCodes.Success, await StressCommand.RunAsync(["--help"], TestContext.Current.CancellationToken));
        Assert.Equal(ExitCodes.Usage, await StressCommand.RunAsync(["run", "--no-such-option"], TestContext.Current.CancellationToken));
    }

    private static RunOptions Read(params string[] args)
    {
        var arguments = new RunArguments();
        var root = new RootCommand();
        arguments.AddTo(root);
        return arguments.Read(root.Parse(args));
    }
}
