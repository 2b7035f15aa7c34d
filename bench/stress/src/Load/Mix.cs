using System.Globalization;
using Optiks.Protocol;

namespace Optiks.Stress.Load;

/// <summary>Holds a mix of operations with their weights, such as <c>hit=90,absent=5,update=4,batch:100=1</c>.</summary>
internal sealed class Mix
{
    public const int MaxBatch = ProtocolLimits.MaxList;
    private readonly double[] _bounds;

    private Mix(IReadOnlyList<MixPart> parts)
    {
        Parts = parts;
        double total = parts.Sum(part => part.Weight);
        double sum = 0;
        _bounds = [.. parts.Select(part => (sum += part.Weight) / total)];
    }

    public IReadOnlyList<MixPart> Parts { get; }

    public bool Updates => Parts.Any(part => part.IsUpdate);

    public bool NeedsApiKey => Updates || Parts.Any(part => part.Kind is OperationKind.History or OperationKind.Monitor);

    /// <summary>Parses the text form of a mix. If the text is invalid, throws <see cref="FormatException"/> with a sentence for the
    /// user.</summary>
    public static Mix Parse(string text)
    {
        var parts = new List<MixPart>();
        foreach (string item in text.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries))
        {
            string[] sides = item.Split('=', 2);
            string[] name = sides[0].Split(':', 2);
            bool known = Enum.TryParse(name[0], ignoreCase: true, out OperationKind kind) && Enum.IsDefined(kind)
                && !char.IsAsciiDigit(name[0][0]);
            if (!known)
            {
                throw new FormatException(
                    $"{name[0]} is not an operation: hit, absent, versions, history, monitor, audit, update or batch:N.");
            }
            if (sides.Length != 2
                || !double.TryParse(sides[1], NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double weight)
                || !(weight > 0) || double.IsInfinity(weight))
            {
                throw new FormatException($"{item}: write a weight above 0, such as {sides[0]}=10.");
            }
            int size = 1;
            if ((kind == OperationKind.Batch) != (name.Length == 2)
                || (name.Length == 2
                    && (!int.TryParse(name[1], NumberStyles.None, CultureInfo.InvariantCulture, out size) || size is < 1 or > MaxBatch)))
            {
                throw new FormatException($"{item}: a batch, and only a batch, has a size of 1 to {MaxBatch}, such as batch:100=1.");
            }
            parts.Add(new MixPart(kind, weight, size));
        }
        return parts.Count > 0 ? new Mix(parts) : throw new FormatException("The mix is empty.");
    }

    public MixPart Next(Random random)
    {
        double point = random.NextDouble();
        int i = 0;
        while (i < _bounds.Length - 1 && point >= _bounds[i])
        {
            i++;
        }
        return Parts[i];
    }

    public override string ToString() => string.Join(',', Parts);
}
