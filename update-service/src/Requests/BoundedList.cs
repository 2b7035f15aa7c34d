using Optiks.ServiceDefaults;

namespace Optiks.UpdateService.Requests;

/// <summary>BoundedList goes through a list of a body that has one element or more, and not more than so many: others are <c>batch-length</c>, with the path of the list.</summary>
internal readonly struct BoundedList
{
    private readonly string _path;
    private readonly int _maxLength;
    private readonly string _elements;

    private BoundedList(string path, int maxLength, string elements)
    {
        _path = path;
        _maxLength = maxLength;
        _elements = elements;
    }

    /// <summary>Start enters the current value, which must be a list.</summary>
    /// <param name="reader">Stands on the value.</param>
    /// <param name="maxLength">Of the list, in elements.</param>
    /// <param name="elements">What they are called in a problem.</param>
    public static BoundedList Start(ref StrictJsonReader reader, int maxLength, string elements)
    {
        var list = new BoundedList(reader.Path, maxLength, elements);
        reader.StartArray();
        return list;
    }

    /// <summary>TryNext goes to the next element. False at the list's end, which it leaves.</summary>
    /// <param name="reader">Has read the elements before.</param>
    /// <param name="count">How many they are.</param>
    public bool TryNext(ref StrictJsonReader reader, int count)
    {
        bool isThere = reader.TryNextElement();
        return isThere ? count < _maxLength ? true : throw BatchLength(_path, $"The list may have {_maxLength} {_elements}.")
            : count > 0 ? false : throw BatchLength(_path, $"The list is empty; it has 1 to {_maxLength} {_elements}.");
    }

    /// <summary>BatchLength refuses what has too few or too many parts.</summary>
    /// <param name="path">Of what has them.</param>
    /// <param name="detail">A sentence.</param>
    public static ProblemException BatchLength(string path, string detail) => new(new Problem(ProblemTypes.BatchLength, detail, path));
}
