using System.CommandLine;

namespace Optiks.Cli;

/// <summary>The option --period of the commands that list versions.</summary>
internal sealed class PeriodArgument
{
    private readonly Option<ulong?> _period = new("--period") { Description = "of this time period, up to its last epoch if it has ended; without it of the current one", HelpName = "NUMBER" };

    public void AddTo(Command command) => command.Add(_period);

    /// <summary>Reads the versions of the given period, or of the current period if the option is missing.</summary>
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
