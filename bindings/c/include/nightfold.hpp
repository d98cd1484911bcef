// Nightfold for C++17: a town that closes itself, exceptions, and texts as std::string. Header only; link nightfold_c.
#ifndef NIGHTFOLD_HPP
#define NIGHTFOLD_HPP

#include "nightfold.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace nightfold {

/// Reason for which a call was refused; nothing was changed.
class Error : public std::runtime_error {
public:
    Error(const char *code, const char *message)
        : std::runtime_error(message != nullptr ? message : ""), code_(code != nullptr ? code : "") {}
    /// Name of the kind of refusal, such as "unknown_npc".
    const std::string &code() const noexcept { return code_; }

private:
    std::string code_;
};

/// Returns a text as JSON, in quotes.
inline std::string quoted(std::string_view text) {
    static constexpr char hex[] = "0123456789abcdef";
    std::string json = "\"";
    for (const char letter : text) {
        const auto byte = static_cast<unsigned char>(letter);
        if (letter == '"' || letter == '\\') {
            json += '\\';
            json += letter;
        } else if (byte < 0x20) {
            json += "\\u00";
            json += hex[byte >> 4];
            json += hex[byte & 15];
        } else {
            json += letter;
        }
    }
    return json += '"';
}

/// A town of NPCs that sleep, remember and are asked. Used by one thread at a time; moments are seconds of game time.
class Town {
public:
    /// Opens a town with options as JSON; blocks while the model opens.
    explicit Town(const std::string &options_json = "{}") : town_(opened(options_json)) {}

    /// Adds an NPC; one that recalls can be asked by day.
    void spawn(const std::string &npc, bool recalls = false) { done(nf_spawn(town_.get(), npc.c_str(), recalls ? 1 : 0)); }
    /// Removes an NPC with the memories of its day.
    void despawn(const std::string &npc) { done(nf_despawn(town_.get(), npc.c_str())); }
    /// Adds a memory, as JSON, to an NPC's day.
    void live(const std::string &npc, const std::string &memory_json) { done(nf_live(town_.get(), npc.c_str(), memory_json.c_str())); }
    /// Puts an NPC to bed; quality is 0 to 1.
    void sleep(const std::string &npc, std::int64_t since, std::int64_t until, double quality = 1.0) {
        done(nf_sleep(town_.get(), npc.c_str(), since, until, quality));
    }
    /// Wakes an NPC.
    void wake(const std::string &npc) { done(nf_wake(town_.get(), npc.c_str())); }
    /// Asks an NPC; the ticket comes back with the event "answered". The filter is JSON, or empty.
    std::int64_t ask(const std::string &npc, const std::string &question, const std::string &filter_json = {}) {
        return number(nf_ask(town_.get(), npc.c_str(), question.c_str(), filter_json.empty() ? nullptr : filter_json.c_str()));
    }
    /// Runs a tick, once a frame; returns the number of events to be read.
    std::int64_t tick(std::int64_t now) { return number(nf_tick(town_.get(), now)); }
    /// Computes for about this long in a town without threads; true if more work waits.
    bool step(std::uint32_t budget_us) { return number(nf_step(town_.get(), budget_us)) > 0; }
    /// Removes and returns the next event, as JSON.
    std::optional<std::string> next_event() {
        const char *event = nf_next_event(town_.get());
        if (event != nullptr) return std::string(event);
        if (nf_last_error() != nullptr) refuse();
        return std::nullopt;
    }
    /// Hands over the vectors of a batch, row after row.
    void vectors(std::uint64_t batch, const std::vector<float> &numbers) {
        done(nf_vectors(town_.get(), batch, numbers.data(), numbers.size()));
    }
    /// Carries a command out that is written as JSON; returns the reply as JSON.
    std::string command(const std::string &json) {
        const char *reply = nf_do(town_.get(), json.c_str());
        if (reply == nullptr) refuse();
        return reply;
    }

private:
    struct Close {
        void operator()(nf_town *town) const noexcept { nf_close(town); }
    };
    [[noreturn]] static void refuse() { throw Error(nf_last_error_code(), nf_last_error()); }
    static nf_town *opened(const std::string &options_json) {
        if (nf_abi_version() != NF_ABI_VERSION) throw Error("abi", "the library does not fit the header");
        nf_town *town = nf_open(options_json.c_str());
        if (town == nullptr) refuse();
        return town;
    }
    static std::int64_t number(std::int64_t result) {
        if (result < 0) refuse();
        return result;
    }
    static void done(std::int32_t result) { number(result); }

    std::unique_ptr<nf_town, Close> town_;
};

}  // namespace nightfold

#endif  // NIGHTFOLD_HPP
