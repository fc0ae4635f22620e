import type { ReadIntent } from './intent'

/** Talk that is about no note or task. */

const TEXTS =
  '(?:poems?|essays?|stor(?:y|ies)|e-?mails?|letters?|songs?|jokes?|haikus?|limericks?|sonnets?|speech(?:es)?|toasts?|blog ?posts?|posts?|articles?|code|scripts?|functions?|programs?|tweets?|captions?|slogans?|paragraphs?|sentences?|dialogues?|resumes?|cvs?|reports?|press releases?|riddles?|recipes?|messages?|reply|replies|responses?|proposals?|outlines?|quer(?:y|ies)|regex)'
const TASKS =
  '(?:translate|rewrite|rephrase|paraphrase|proof-?read|brainstorm|calculate|compute|solve|prove|imagine|pretend|act as|role-?play|invent|compose|ghostwrite|debate|argue|improve|shorten|expand|simplify)'

type Talk = 'help' | 'greeting' | 'thanks' | 'compose'

const whole = (pattern: string) => new RegExp(`^(?:${pattern})$`, 'i')

const TALK: readonly (readonly [Talk, RegExp])[] = [
  [
    'greeting',
    whole(
      `(?:hi|hello|hey|hiya|howdy|yo|greetings|good (?:morning|afternoon|evening|day)|what'?s up|how are you(?: doing)?(?: today)?|how do you do|hallo|guten (?:tag|morgen|abend)|bonjour|bonsoir|salut|¡?hola|buen[oa]s (?:días|tardes|noches)|there)(?: there| satchel| again| you)*[\\s.!,]*`,
    ),
  ],
  [
    'thanks',
    whole(
      `(?:thanks|thank you|thx|danke(?: schön| sehr)?|vielen dank|merci(?: beaucoup)?|(?:muchas )?gracias|cheers|great|perfect|nice|good(?: ?bye| night)|bye(?: bye)?|ok(?:ay)?|cool|awesome|got it|well done)(?: (?:so much|very much|a lot|satchel|you|then|bye|job))*[\\s.!,]*`,
    ),
  ],
  [
    'help',
    whole(
      `(?:help|hilfe|aide|aide-moi|ayuda|ayúdame|was kannst du(?: alles)?|que (?:peux|sais)-tu faire|¿?qué (?:puedes|sabes) hacer|commands?|usage|menu|(?:show|list)(?: me)? (?:the |your |all )?(?:help|commands?|features|capabilities|skills))(?: me)?[\\s.!]*`,
    ),
  ],
  [
    'help',
    whole(
      `(?:tell me |show me |list )?(?:what|which)(?: (?:all|else|things?|kinds? of things?|sort of things?|questions|commands|tasks))* (?:can|could|do|are|should|may) (?:you|i|we)(?: (?:able|know how))?(?: (?:to )?(?:do|ask|say|help|answer|use|tell|understand|give|perform|type))(?: (?:you|me|with|for|about|here|of|to do|from))*`,
    ),
  ],
  [
    'help',
    whole(
      `(?:who|what)(?: exactly)? are you|what(?:'s| is) your name|what (?:model|engine|ai|llm)(?: are you| is this| do you use)?.{0,20}|are you (?:an? |really |actually )*(?:bot|robot|human|person|ai|a\\.i\\.?|llm|language model|computer|machine|gpt|chatgpt|real|model)\\b.*|what are (?:your|you) (?:capabilities|skills|features|functions|commands|able to do|capable of)|how (?:do|can|does) (?:you|this|i use you|i use this|it)(?: work)?|how can you help(?: me)?`,
    ),
  ],
  [
    'compose',
    whole(
      `${TASKS}\\b.*|how (?:do|would|can) (?:you|i|we) say .+ in \\w+|how is .+ said in \\w+|say .+ in (?:french|german|spanish|italian|japanese|chinese|english|latin|portuguese|russian)|what(?:'s| is) [\\d\\s.()]+(?:[-+*/x^]|plus|minus|times|divided by) ?[\\d\\s.()+*/x^-]+`,
    ),
  ],
  [
    'compose',
    whole(
      `(?:write|compose|draft|generate|make up|create|make|tell|give|sing|come up with)(?: (?:me|us|up))?(?: (?:an?|the|some|another|my|\\d+|one))?(?: [\\w'-]+){0,3}? ${TEXTS}(?: (?:about|for|to|in|that|of|on|with|from|explaining|describing|which|apologi[sz]ing|saying)\\b.*)?`,
    ),
  ],
]

/** Reads greetings, thanks, requests for help, and requests to write, translate or reason; null for anything else. */
export function readTalk(head: string): ReadIntent | null {
  const kind = TALK.find(([, pattern]) => pattern.test(head))?.[0]
  return kind === undefined ? null : { kind }
}
