using Optiks.ServiceDefaults;

namespace Optiks.UpdateService.Requests;

/// <summary>
/// Reads a list in a body. The list must have at least one element and at most a given number of elements. Refuses other lists with the
/// problem <c>batch-length</c>, which names the list's path.
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

    /// <summary>Enters the reader's current value, which must be a list.</summary>
    /// <param name="reader">The reader, positioned at the list.</param>
    /// <param name="maxLength">The largest number of elements.</param>
    /// <param name="elements">The word for the elements in the text of a problem.</param>
    public static BoundedList Start(ref StrictJsonReader reader, int maxLength, string elements)
    {
        var list = new BoundedList(reader.Path, maxLength, elements);
        reader.StartArray();
        return list;
    }

    /// <summary>Moves to the next element. At the end of the list, leaves the list and returns false.</summary>
    /// <param name="reader">The reader, positioned after the elements that were read so far.</param>
    /// <param name="count">The number of elements that were read so far.</param>
    public bool TryNext(ref StrictJsonReader reader, int count)
    {
        bool isThere = reader.TryNextElement();
        return isThere ? count < _maxLength ? true : throw BatchLength(_path, $"The list may have at most {_maxLength} {_elements}.")
            : count > 0 ? false : throw BatchLength(_path, $"The list is empty; it must have 1 to {_maxLength} {_elements}.");
    }

    /// <summary>Creates the refusal of a value that has too few or too many parts.</summary>
    /// <param name="path">The path of that value.</param>
    /// <param name="detail">The sentence that explains the refusal.</param>
    public static ProblemException BatchLength(string path, string detail) => new(new Problem(ProblemTypes.BatchLength, detail, path));
}
