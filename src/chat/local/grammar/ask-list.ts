import type { ReadIntent, TaskSpan } from './intent'
import { Sentence } from './shapes'

/** English questions about the list of tasks, in words too loose for slots: that they show it does no harm. */

/** Reads the span of time from the words of a message. */
function readSpan(head: string): TaskSpan {
  if (/\b(?:over ?due|late|missed|past due)\b/i.test(head)) return 'overdue'
  if (/\btomorrow\b/i.test(head)) return 'tomorrow'
  if (/\b(?:this|next|the|coming) (?:coming )?week\b|\bweekly\b|\b7 days\b/i.test(head)) return 'week'
  return /\b(?:today|tonight|this (?:morning|afternoon|evening))\b/i.test(head) ? 'today' : 'all'
}

/** Words before what may be on the list: "check whether I have already put …". */
const BEFORE =
  /^(?:(?:check|look|see|confirm|verify|tell me|let me know|i need to know|know|inform me|please|can you|to)\b ?)*(?:(?:if|whether|that|for)\b ?)?(?:(?:when|where|at what time|what time|how many) )?(?:(?:is|are|was|were|will|do|does|did|have|has|had)\b ?)?(?:(?:i|we|my|i've|there|it)\b ?)?(?:(?:already|remember to|set up|set aside|set|have|got|get|put|add|added|include|included|jot down|list|write|create|request|make|contain|show)\b ?)*(?:(?:an?|any|some|the) (?:tasks?|items?|time|reminders?|to-?dos?|things?)\b ?)?(?:set ?)?(?:(?:related )?(?:to|for|about|of|regarding)\b ?)?(?:(?:the|an?|any)\b ?)*/i
const AFTER =
  / ?(?:(?:is|are|be|gets?|coming up|part of|already|scheduled|listed|right now|currently|there|among|on it|in it|on|in|to|onto|of)\b ?)*$/i
const NO_THING =
  /^(?:(?:the |a |an |any |my )*(?:anything|something|everything|all|items?|things?|tasks?|chores?|left|yet|what(?:'s|ever)?|which|it|stuff|reminders?|errands?|see|alphabetically)\b.*|.*\b(?:what|which)\b.*)$/i
/** Questions after one thing. */
const ASKS_ONE =
  /^(?:(?:check|look|see|confirm|verify|tell me|let me know|i need to know|know|inform me|please|can you|to) )*(?:if|whether|that|is|are|was|will|do|does|did|have|when|where|at what time|what time)\b|^check\b.*\b(?:for|if|whether)\b|\bto see (?:if|whether)\b/i
/** "Is there a reminder for …" names no list. */
const ASKS_REMINDER =
  /^(?:do i have|is there|are there|have i got|have i set|did i (?:set(?: up)?|request|make|create|add|have)|check if i have)(?: already)? (?:an?|any|the|some) (?:reminders?|tasks?|to-?dos?|todos?)(?: set| on my list)? (?:to|for|about|of|regarding) /i

/** A time, or nothing: "what do I have to do to reset the router" is another question. */
const LATER =
  '(?:[, ]+(?:today|tomorrow|tonight|this|next|now|yet|according|per|right|still|left|on|for|in|over|before|by|so far|currently|please)\\b.*)?'
/** Unambiguous names of the list. */
const STRONG =
  "(?:to-? ?do|todo|task|reminders?|chores?) ?-?lists?|lists? of (?:my |the |all )*(?:reminders?|tasks|chores|to-? ?dos|things to (?:do|remember))|my (?:reminders?|to-? ?do'?s?|todo'?s?|chores|errands)"
const HAVE =
  "do i have|have i (?:got|set|made)|are there|is there|any|did i (?:set|make|have|add|create|put)|i (?:have|had|set|made|created)|i've (?:set|made|got)"
const THINGS = 'reminders?|to-? ?dos|todos|tasks'
const LOOSE: readonly RegExp[] = [
  `.*\\b(?:anything|what|things?|something|stuff|everything)\\b.*\\bi(?:'m| am|'ve)? (?:still |also )?(?:need|have|gotta|got|must|should|supposed|have got)(?: left)?(?: to)? (?:do|get done|finish|complete|accomplish)${LATER}`,
  `what (?:are )?(?:the )?things (?:that )?i have (?:for )?(?:today|tomorrow|this week)|i (?:wanted|was trying) to remember (?:what|some things|something)\\b.*`,
  `what (?:is|are|was)(?: there)?(?: left)?(?: for me)? to (?:do|be done)${LATER}|what'?s left(?: to do)?${LATER}`,
  `what (?:items|tasks?|things?|chores|errands|reminders?|to-?dos)(?: on my list)? (?:do|did|have|am|must|should|are|were) (?:i|there|left|due|the)\\b.*`,
  `what (?:else |all )?(?:still )?needs? (?:to be done|doing|to get done|to be finished)${LATER}|(?:do i have|have i got|is there|are there) (?:anything|something|stuff|things|any ?thing|more) (?:else )?(?:left )?(?:for me )?to (?:do|complete|finish)${LATER}|what (?:am i|do i gotta|should i be) (?:supposed to )?(?:do|doing)${LATER}`,
  `(?!(?:add|put|remove|delete|erase|clear|create|make|set|don'?t|do not|never|not|why|how (?:do|can|should)|who|new|start)\\b).*\\b(?:${STRONG})\\b.*`,
  `.*\\b(?:${HAVE})\\b.*\\b(?:${THINGS})\\b.*|.*\\b(?:${THINGS})\\b.*\\b(?:${HAVE})\\b.*`,
  `.*\\b(?:remind me|tell me|what|know|things?|i)\\b.*\\b(?:i|to) (?:was |am |'?m )?(?:had |have |did )?(?:had|have|need|needed|want|wanted|supposed|meant|trying|asked|told|ask|help me)\\b.{0,25}\\b(?:remember|recall|not forget|be reminded)\\b.*`,
].map((pattern) => new RegExp(`^(?:${pattern})$`, 'i'))
/** The beginning of a question about the whole list. */
const ASKS_LIST =
  /^(?:what|which|show|list|tell|read|repeat|recite|state|say|speak|give|get|let|hear|see|view|check|go|walk|iterate|describe|display|bring|pull|open|review|remind|know|how many|are|inform|look|i(?: (?:want|need|would like|wonder))?\b|on|my|the|reminders|run|find|count|play|share|explain)/i

/** Reads a question about the list of tasks; null for any other text. */
export function readListQuestion(head: string): ReadIntent | null {
  const listed = listAt(head)
  const before = listed === null ? head : head.slice(0, listed)
  const isOne =
    ASKS_REMINDER.test(head) || (listed !== null && ASKS_ONE.test(head) && !/^\S+ (?:make|put|add)\b/i.test(head))
  if (isOne) {
    const rest =
      listed === 0 || (/^check\b/i.test(head) && / (?:for|if|whether) /i.test(head.slice(listed ?? 0)))
        ? head.replace(/^.*? (?:for|if|whether) /i, '')
        : before
    const words = rest.replace(BEFORE, '').replace(AFTER, '').trim()
    return { kind: 'list_tasks', span: readSpan(head), about: words === '' || NO_THING.test(words) ? null : words }
  }
  if (/\b(?:notes?|cards?)\b/i.test(head)) return null
  if ((listed !== null && (ASKS_LIST.test(head) || before === '')) || LOOSE.some((pattern) => pattern.test(head)))
    return { kind: 'list_tasks', span: readSpan(head), about: null }
  return null
}

/** Finds where the name of the list begins; null if there is none. */
function listAt(head: string): number | null {
  const sentence = new Sentence(head, 'en')
  const at = sentence.tokens.findIndex((_, i) => sentence.has('list', i))
  return sentence.tokens[at]?.start ?? null
}
