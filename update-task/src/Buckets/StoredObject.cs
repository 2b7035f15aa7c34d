namespace Optiks.UpdateTask.Buckets;

/// <summary>Holds an object as a bucket returned it.</summary>
/// <param name="Octets">Its contents.</param>
/// <param name="Tag">Its entity tag.</param>
internal sealed record StoredObject(byte[] Octets, string Tag);
