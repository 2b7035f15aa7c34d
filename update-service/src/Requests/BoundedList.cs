using Optiks.ServiceDefaults;

namespace Optiks.UpdateService.Requests;

/// <summary>
/// Reads a list in a body that must have at least one element and at most a given number. It refuses other lists as <c>batch-length</c>,
/// with the path of the list.
/// </summary>
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

    /// <summary>Enters the current value, which must be a list.</summary>
    /// <param name="reader">The reader, at the value.</param>
    /// <param name="maxLength">The highest number of elements.</param>
    /// <param name="elements">The word for the elements in a problem.</param>
    public static BoundedList Start(ref StrictJsonReader reader, int maxLength, string elements)
    {
        var list = new BoundedList(reader.Path, maxLength, elements);
        reader.StartArray();
        return list;
    }

    /// <summary>Moves to the next element. At the list's end, leaves the list and returns false.</summary>
    /// <param name="reader">The reader, after the elements read so far.</param>
    /// <param name="count">The number of elements read so far.</param>
    public bool TryNext(ref StrictJsonReader reader, int count)
    {
        bool isThere = reader.TryNextElement();
        return isThere ? count < _maxLength ? true : throw BatchLength(_path, $"The list may have at most {_maxLength} {_elements}.")
            : count > 0 ? false : throw BatchLength(_path, $"The list is empty; it must have 1 to {_maxLength} {_elements}.");
    }

    /// <summary>Returns the refusal of a value with too few or too many parts.</summary>
    /// <param name="path">The path of that value.</param>
    /// <param name="detail">A sentence about the refusal.</param>
    public static ProblemException BatchLength(string path, string detail) => new(new Problem(ProblemTypes.BatchLength, detail, path));
}
