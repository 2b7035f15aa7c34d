using System.Globalization;
using Optiks;
using Optiks.Epochs;

if (args is not [{ } number] || !int.TryParse(number, NumberStyles.None, CultureInfo.InvariantCulture, out int epochs) || epochs < 1)
{
    await Console.Error.WriteLineAsync(
        $"usage: optiks-epochs EPOCHS; {DataFolder.Variable} names a folder with an empty database, which 'optiks-db migrate' made");
    return ExitCodes.Usage;
}
// The time of epoch 0 is chosen so that the last record has the current time. Thus the last record is fresh, and no record is from the
// future.
ulong now = (ulong)TimeProvider.System.GetUtcNow().ToUnixTimeMilliseconds();
using var maker = new EpochFiller(DataFolder.Default(), now - (ulong)epochs);
await maker.RunAsync(epochs, CancellationToken.None);
return ExitCodes.Success;
