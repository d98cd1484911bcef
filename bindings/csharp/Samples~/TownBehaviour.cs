// Labelled sample for Unity, which was not run in an editor: a town that lives as long as its scene.
#if UNITY_5_3_OR_NEWER
using Nightfold;
using UnityEngine;

public sealed class TownBehaviour : MonoBehaviour
{
    private NightfoldTown town;
    private double now = 79200;

    private void Awake()
    {
        string file = Application.persistentDataPath + "/town.db";
        string models = Application.streamingAssetsPath + "/nightfold";
        town = new NightfoldTown(
            "{\"store\":{\"file\":" + NightfoldTown.Quoted(file) + "},\"models\":" + NightfoldTown.Quoted(models) + "}");
        town.Spawn("Mara", recalls: true);
        town.Live("Mara", "{\"at\":36000,\"kind\":\"chat\",\"text\":\"Joss owes Tom 14 silver for the axle\"}");
        town.Sleep("Mara", (long)now, (long)now + 28800);
    }

    private void Update()
    {
        now += Time.deltaTime * 60;
        town.Tick((long)now);
        for (string told = town.NextEvent(); told != null; told = town.NextEvent()) Debug.Log(told);
    }

    private void OnDestroy() { town?.Dispose(); }
}
#endif
