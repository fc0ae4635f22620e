import type { GrammarMessage } from './intent'
import { narrow, Sentence } from './shapes'

/** A message as rules read it: without its polite words, and whether it can be a command. */

const VERB =
  '(?:add|append|put|place|include|throw|list|enter|stick|insert|log|pencil|tack|slap|pop|toss|drop|squeeze|record|save|store|register|type|get|write|mark|jot|note|make|create|set|give|send|schedule|open|establish|start|generate|arrange|remind|notify|alert|nudge|ping|prompt|update|extend|change|edit|amend|modify|clear|empty|wipe|erase|delete|remove|nuke|reset|purge|trash|clean|cancel|take|scratch|cross|check|tick|complete|finish|close|re-?open|un-?complete|un-?check|restart|fix|begin|program|activate|leave|knock|axe|ditch|omit|move|reschedule|postpone|push|shift|delay|defer|rename|retitle|raise|lower|flag|discard|bin|turn|build|draft|replace|swap|switch|strike|nix|cut|pull|eliminate|dump|exclude|kick|subtract)'
const I = '(?:i|you|we|they|he|she|someone|somebody|anyone|anybody|people|one)'

/** A clause that is a plain command: only polite words come before the verb. */
const PLAIN = new RegExp(
  `^(?:(?:please|also|just|kindly|and|so|then|now|can|could|will|would|you|don'?t forget to|make sure (?:to|you))[, ]+)*${VERB}\\b`,
  'i',
)

/**
 * Questions, even after a time: "on Fridays how do I …". These and the patterns below match the words before the first
 * verb.
 */
const ASKS: readonly RegExp[] = [
  /^(?:(?:and|so|but|or|no) )?(?:who|whom|whose|what|which|where|why(?! don'?t you| do not you)|how(?! about))(?:'s|'re|'d)?\b/i,
  /\b(?:who|what|which|where|when|why|how) (?:\w+ ){0,2}?(?:do|does|did|can|could|would|should|will|shall|may|might|must|is|are|was|were|have|has|had|am) (?:i|you|we|they|he|she|it|my|the|this|that|a|an|to|someone|anyone|people|one)\b/i,
  /\bhow to\b|^should\b/i,
  new RegExp(`\\b(?:do|does|did|should|shall|must|am|are|were|was) ${I}\\b(?! (?:set|done)\\b)`, 'i'),
  new RegExp(`^(?:have|has|had) ${I} (?!(?:to )?(?:please|just|also|go|kindly)\\b)\\w`, 'i'),
  /^(?:is|are|was|were) (?:it|there|this|that)\b(?! (?:possible(?! for)|ok(?:ay)?|alright|all right|any (?:chance|way|possibility)|a (?:chance|way|possibility) (?:that )?you)\b)/i,
  /^(?:do|does|did|shall|must|has|had|is|was|are|were) (?:my|the|any|anything|a|an)\b/i,
  /^have (?:added|placed|included|listed|entered|created|made|deleted|removed|reminded)\b/i,
  /\b(?:wonder(?:ing)?|ask(?:ed|ing)?|know|tell me|explain|describe|curious|understand|remember) (?:me )?(?:if(?! you (?:can|could|will|would|might)\b)|whether|why|when|where|what|how)\b/i,
]

const REPORTS: readonly RegExp[] = [
  /\b(?:told|asked|said|says|tells|asks|wrote|writes|mentioned|thought|reminded (?:me|you|us|him|her|them)|requested|ordered|suggested|recommended|advised|claimed|claims|reported)\b/i,
  /\b(?:(?:was|were|am|is|are|been) (?:just )?(?:going|about|supposed|meaning|planning|hoping|trying) to|used to|tried to|forgot to|meant to|managed to|failed to|planned to|refused to)$/i,
  /\b(?:already|always|usually|often|sometimes|never)$/i,
  /\b(?:say|type|write|enter|let (?:you|it|him|her|them)|(?:ask|tell|get) (?:you|him|her|them)(?: to)?)$/i,
  // A person who does it, after a time: "on Fridays I add a task", "at work my boss will remind me".
  /\w (?:i|we|he|she|it|they|who|people|nobody|somebody|someone|everybody|everyone)$/i,
  /\w (?<!\b(?:you|u|satchel) )(?:will|would|should|shall|must|might|may|can|could|(?:had|has) to)$/i,
]

/** Suppositions: a person who did, does or would do it; then comes the verb. */
const SUPPOSES: readonly RegExp[] = [
  /^(?:what if|suppose|supposing|imagine|assuming|assume|let'?s say|hypothetically|if only|i wish)\b/i,
  new RegExp(
    `^(?:and |so |but |even )?(?:if|unless|in case|whenever|when|once|after|before|every time|each time|as soon as|until|had|were) ${I}(?: (?:were to|ever|had to|could|would|should|did|do|don'?t|didn'?t|want to|try to|just|just|accidentally|then))*$`,
    'i',
  ),
  /^(?:maybe |perhaps )?(?:i|we) (?:would|could|might|may|should|will|can)(?: (?:have|never|not|maybe|rather|ever|probably|possibly|perhaps|sometimes|often|have to|always|usually))*$/i,
]

const REFUSES =
  /\b(?:do not|don'?t|doesn'?t|does not|didn'?t|did not|never|not|no need (?:for you )?to|needn'?t|mustn'?t|shouldn'?t|should not|won'?t|can'?t|cannot|couldn'?t|wouldn'?t|without|stop|avoid|quit|refrain from|rather)(?: (?:you|me|us|want|have|need|like|wish|to|please|ever|even|just|also|any|go|ahead|and|yet|dare|think|try|going|be|about|asking|ask))*$/i

/** "Remind me to call Ann? No." */
const TAKEN_BACK = /\?\s*(?:no|nah|nope|how|why|really|never mind)(?: (?:thanks|thank you|way|not|so))?[\s.!?]*$/i

/** "…, she said", and a command that is itself what a sentence is about. */
const REPORTED =
  /,["”]? (?:(?:he|she|they|\p{Lu}\p{L}+) (?:said|says|wrote|writes)|(?:said|says|wrote|writes) \p{L}+(?: \p{L}+)?)[\s.!?]*$|\bis what [^.?!]{1,60} (?:said|says|wrote|writes)[\s.!?]*$/u
/** UTF-16 units of such an end. */
const MAX_REPORTED_UNITS = 120

const CLAUSE = /[,;.!]+ | (?:so|and|then|but) (?=\S)/i

/** "before I leave, remind me to …": the verb of such a condition is not the command. */
const CONDITION = new RegExp(
  `^(?:and |so )?(?:before|after|if|once|as soon as|every time|each time) ${I} .*?(?=\\bremind me (?:to|about|that)\\b)`,
  'i',
)

/** Returns the words before the first verb that a command could begin with; the whole clause if there is none. */
function readLead(clause: string): string {
  const condition = CONDITION.exec(clause)?.[0]
  if (condition !== undefined) return condition.trim()
  const at = clause.search(new RegExp(`\\b${VERB}\\b`, 'i'))
  return (at < 0 ? clause : clause.slice(0, at)).trim()
}

/**
 * Whether the head of a message can be a command. Questions, reports, refusals and suppositions change nothing, even if
 * they contain a command: "how do I add a task", "I said to add a task", "don't add a task", "if I add a task". Never throws.
 */
export function canCommand(head: string): boolean {
  if (TAKEN_BACK.test(head) || REPORTED.test(head.slice(-MAX_REPORTED_UNITS))) return false
  let meant = true
  for (const clause of head.split(CLAUSE)) {
    if (PLAIN.test(clause)) return true
    const lead = readLead(clause)
    if (ASKS.some((pattern) => pattern.test(lead))) return false
    if (/\b(?:said|says|told me|tells me|asked|asks|wrote|writes)[:"“ ]*$/i.test(clause)) return false
    if ([...REPORTS, ...SUPPOSES, REFUSES].some((pattern) => pattern.test(lead))) meant = false
  }
  return meant
}

/** UTF-16 units of the first line of a message; a longer one is not a command. */
export const MAX_HEAD_UNITS = 1200

/** Polite beginnings of a command, which are stripped one at a time. */
const BEFORE: readonly RegExp[] = [
  /^(?:please|pls|kindly|just|also|now|then|so|well|and|ok|okay|alright|(?:hey|hi|hello)(?: there)?|satchel|assistant)\b[\s,!:.-]*/i,
  /^(?:can|could|will|would|may)(?: (?:you|u|i|we))(?: (?:please|kindly|just|also|maybe|possibly))*\s+/i,
  /^would you mind\s+/i,
  /^(?:i(?:'d| would)? (?:want|need|like|love)|i(?:'d| would) (?:really )?(?:like|love)|i(?:'m| am) going)(?: you| for you)? to\s+/i,
  /^(?:you (?:can|may|should|could)|go (?:ahead|on) and|hurry up and|be sure to|make sure (?:to|you)|(?:do not|don'?t) forget to|remember to|help(?: me)?(?: to)?(?= (?:set|add|make|create|remind|find))|try to|let'?s|let us|do me a favou?r(?: and)?|why (?:do not|don'?t) you|i'?d appreciate it if you (?:could|would)|if you (?:could|would|can))[\s,]+/i,
]

const AFTER =
  /(?:[\s,.!;]+(?:please|pls|thanks|thank you(?: (?:so|very) much)?|if you (?:can|could|would|please|don'?t mind)|i would appreciate it|for me(?= please)|will you|would you))?[\s.!?]*$/i

/** Beginnings that are stripped, at most. */
const MAX_STRIPPED = 8

/**
 * Reads a message without its polite words. Never throws; a first line that is too long for a command gives an empty
 * head.
 */
export function readMessage(text: string): GrammarMessage {
  const trimmed = text.trim()
  const end = trimmed.search(/[\r\n]/)
  const first = (end < 0 ? trimmed : trimmed.slice(0, end)).normalize('NFC')
  const body = end < 0 ? '' : trimmed.slice(end).trim()
  if (first.length > MAX_HEAD_UNITS) return { head: '', words: new Sentence('', 'en'), body, command: false }
  const line = first.replace(/[’‘]/g, "'").replace(/\s+/g, ' ').trim()
  const behind = withoutBefore(narrow(line))
  const command = withoutAfter(behind)
  const from = line.length - behind.length
  const head = line.slice(from, from + command.length)
  return { head, words: new Sentence(head, 'en'), body, command: canCommand(command) }
}

const GREETING =
  /^\W*(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|hallo|guten (?:tag|morgen|abend)|bonjour|bonsoir|salut|hola|buen[oa]s (?:días|tardes|noches))(?: there)? +/i
/** Words that only letters begin with. */
const DEAR = /^(?:dear|liebe[rs]?|sehr geehrte[rs]?|ch(?:er|ère)s?|querid[oa]s?|estimad[oa]s?) +/i
const PERSON =
  "(?:\\p{Lu}[\\p{L}'’.-]+|all|team|everyone|everybody|folks|both|zusammen|alle|tous|toutes|équipe|equipo|todos|todas)"
const PERSONS = new RegExp(`^${PERSON}(?:,? (?:(?:and|&|und|et|y) )?${PERSON}){0,3} ?[,:;.!–-]`, 'u')
const ANYBODY = /^[\p{L}'’.-]+(?: [\p{L}'’.&-]+){0,4} ?[,:;.!–-]/u
const VERB_AND_OBJECT = new RegExp(`^${VERB} `, 'i')

/** Whether a line begins as a letter does, with a name: "Hi Ann, …", "Dear team: …". What follows is somebody's text. */
export function isSalutation(line: string): boolean {
  const text = narrow(line.trim().normalize('NFC'))
  const name = text.replace(DEAR, '').replace(GREETING, '')
  if (name === text || BEFORE[0]?.test(name) || VERB_AND_OBJECT.test(name)) return false
  return PERSONS.test(`${name},`) || (DEAR.test(text) && ANYBODY.test(`${name},`))
}

export function withoutBefore(line: string): string {
  let rest = line
  for (let taken = 0; taken < MAX_STRIPPED; taken++) {
    const pattern = BEFORE.find((one) => one.test(rest))
    const shorter = pattern ? rest.replace(pattern, '') : rest
    if (shorter === rest || shorter === '') break
    rest = shorter
  }
  return rest
}

/**
 * Strips polite words from the end. Only the last 60 units are searched, since the pattern would start at every space.
 */
function withoutAfter(line: string): string {
  const from = Math.max(0, line.length - 60)
  const end = line.slice(from)
  const shorter = (line.slice(0, from) + end.replace(AFTER, '')).trim()
  return shorter === '' ? line : shorter
}

/**
 * Polite words that are skipped in any order ("it would be great if you could …"); none is of a question or a refusal.
 */
const COURTESY = new Set(
  `i we you it us me would could can will may might like love need want have has had to be great nice good lovely helpful
  wonderful if so kind as just really now go ahead and help for let lets let's appreciate grateful thank thanks hey ok okay
  a an favor favour please kindly also then that is there possible any chance ask asking request sure quickly hope wish
  think i'd i'll i'm we'd you'd must gotta got going gonna today satchel maybe perhaps possibly wondering was`.split(
    /\s+/,
  ),
)
const MAX_COURTESY_WORDS = 14
/** "I have milk on my list" is a report; without the "I" it would read as a request. */
const REPORTS_HAVING = /^(?:i|we) (?:have|had|got)\b(?! (?:got )?to\b)/i

/** Yields the heads without one polite word, two, and so on; none if it starts with another word. */
export function* withoutCourtesy(head: string): Generator<string> {
  let rest = head
  for (let skipped = 0; skipped < MAX_COURTESY_WORDS; skipped++) {
    const end = rest.indexOf(' ')
    if (
      end < 0 ||
      REPORTS_HAVING.test(rest) ||
      !COURTESY.has(
        rest
          .slice(0, end)
          .toLowerCase()
          .replace(/[,.!]$/, ''),
      )
    )
      return
    rest = rest.slice(end + 1)
    yield rest
  }
}
