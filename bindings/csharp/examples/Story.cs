// Tells the story that all bindings tell: Story.exe STORY.jsonl OPTIONS. Prints replies and events.
using System;
using System.IO;
using System.Text;
using Nightfold;

internal static class Story
{
    private static void Take(string reply, string key, ref string part)
    {
        if (reply.StartsWith(key, StringComparison.Ordinal)) part = reply.Substring(key.Length, reply.Length - key.Length - 1);
    }

    private static int Main(string[] args)
    {
        if (args.Length != 2)
        {
            Console.Error.WriteLine("usage: Story.exe STORY.jsonl OPTIONS");
            return 2;
        }
        var output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false)) { NewLine = "\n" };
        using (output)
        using (var town = new NightfoldTown(args[1]))
        {
            string saved = "", plan = "";
            foreach (string line in File.ReadAllLines(args[0], Encoding.UTF8))
            {
                try
                {
                    string reply = town.Do(line.Replace("\"@saved\"", saved).Replace("\"@plan\"", plan));
                    Take(reply, "{\"saved\":", ref saved);
                    Take(reply, "{\"plan\":", ref plan);
                    output.WriteLine(reply);
                }
                catch (NightfoldException error)
                {
                    output.WriteLine("refused " + error.Code);
                }
                for (string told = town.NextEvent(); told != null; told = town.NextEvent()) output.WriteLine(told);
            }
        }
        return 0;
    }
}
