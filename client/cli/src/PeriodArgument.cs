using System.CommandLine;

namespace Optiks.Cli;

/// <summary>The option <c>--period</c> of the commands that list versions.</summary>
internal sealed class PeriodArgument
{
    private readonly Option<ulong?> _period =
        new("--period")
        {
            Description = "of this time period, up to its last epoch if it has ended; without it of the current one",
            HelpName = "NUMBER",
        };

    public void AddTo(Command command) => command.Add(_period);

    /// <summary>
    /// Requests the versions of the period that the option names, or of the current period if the user did not give the option.
    /// </summary>
    public async Task<T> ReadAsync<T>(ParseResult parse, Func<Task<T>> current, Func<ulong, Task<T>> of)
    {
        if (parse.GetValue(_period) is not { } period)
        {
            return await current().ConfigureAwait(false);
        }
        try
        {
            return await of(period).ConfigureAwait(false);
        }
        catch (ArgumentOutOfRangeException e)
        {
            throw new UsageException($"The log has not begun period {period}.", e);
        }
    }
}
