// Tells the story that all bindings tell: story STORY.jsonl OPTIONS. Prints replies and events.
#include <nightfold.hpp>

#include <fstream>
#include <iostream>

namespace {

void replace(std::string &text, const std::string &mark, const std::string &by) {
    const auto at = text.find(mark);
    if (at != std::string::npos && !by.empty()) text.replace(at, mark.size(), by);
}

void take(const std::string &reply, const std::string &key, std::string &part) {
    if (reply.compare(0, key.size(), key) == 0) part = reply.substr(key.size(), reply.size() - key.size() - 1);
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 3) return std::cerr << "usage: story STORY.jsonl OPTIONS\n", 2;
    try {
        nightfold::Town town(argv[2]);
        std::ifstream story(argv[1]);
        std::string line, saved, plan;
        while (std::getline(story, line)) {
            replace(line, "\"@saved\"", saved);
            replace(line, "\"@plan\"", plan);
            try {
                const auto reply = town.command(line);
                take(reply, "{\"saved\":", saved);
                take(reply, "{\"plan\":", plan);
                std::cout << reply << '\n';
            } catch (const nightfold::Error &error) {
                std::cout << "refused " << error.code() << '\n';
            }
            while (auto event = town.next_event()) std::cout << *event << '\n';
        }
    } catch (const nightfold::Error &error) {
        return std::cerr << error.what() << '\n', 1;
    }
}
