import { readAskedDeck } from './ask'
import { unquoteName, type WriteIntent } from './intent'
import { commandForm, firstForm, readForm } from './patterns'

const CARDS = '(?:flash ?-?cards?|cards?)'
const MAKE = '(?:create|make|generate|draft|suggest|extract|build|propose|prepare|write)'
const FROM = '(?:from|for|about|out of|of|on|based on)'
const STORE = '(?:store|save|add|put|keep)'
const DECK =
  '(?:to|in|into) (?:the |my |a )?(?:new )?(?:deck (?:called |named )?(?<deck>.+)|(?<deck2>["“].+["”]|[^"“”]+?) deck)'

type Groups = Readonly<Record<string, string>>

const readDeck = ({ deck, deck2 }: Groups): string => unquoteName(deck ?? deck2 ?? '').words
const toAddCard = (found: Groups): WriteIntent => ({
  kind: 'add_card',
  front: unquoteName(found.front ?? '').words,
  back: unquoteName(found.back ?? '').words,
  deck: readDeck(found),
})

export const cardForms = firstForm([
  commandForm(
    `(?:add|create|make|save|new) (?:an? |one )?(?:new )?${CARDS} ?[:,]? ?(?:q(?:uestion)?|front) ?: ?(?<front>.+?)[,;.]? (?:a(?:nswer)?|back) ?: ?(?<back>.+?) ${DECK}`,
    toAddCard,
  ),
  commandForm(
    `(?:add|create|make|save) (?:an? )?(?:new )?${CARDS} (?<front>["“][^"”]+["”]) ?(?:-|=|:|::|,|with (?:the )?(?:answer|back)|and|->) ?(?<back>["“][^"”]+["”]) ${DECK}`,
    toAddCard,
  ),
  commandForm(
    `(?:(?:${MAKE}|${STORE})(?: me)?(?: some| a few| the| \\d+)? ${CARDS}(?: drafts?)? ${FROM}|turn)(?: the| my| this)?(?: notes?)? (?<note>.+?)(?: notes?)?(?: into ${CARDS})?(?: and ${STORE}(?: them| it| these)?)? ${DECK}`,
    (found) => ({ kind: 'store_cards', note: unquoteName(found.note ?? ''), deck: readDeck(found) }),
  ),
  readForm(
    `(?:${MAKE}(?: me)?(?: some| a few| the| any| \\d+)? ${CARDS}(?: drafts?)? ${FROM}|what ${CARDS} (?:could|can) (?:i|you) make ${FROM})(?: the| my| this)?(?: notes?)?(?: (?:called|titled|named))? (?<note>.+?)(?: notes?)?|turn (?:the |my )?(?:note )?(?<turned>.+?)(?: note)? into ${CARDS}`,
    ({ note, turned }) => ({ kind: 'draft_cards', note: unquoteName(note ?? turned ?? '') }),
  ),
  readForm(
    `(?:what|which|how many|show|list|are there|do i have|any|is there|tell me|give me|see|get|check)\\b.{0,30}\\b${CARDS}\\b.{0,20}\\b(?:due|review|study|learn|today|waiting|left|now)\\b.*|(?:(?:due|show|list|my|the) ){1,3}(?:due )?(?:flash ?-?cards|cards)|(?:what|anything) (?:do i have|is there|have i got)?(?: left)? ?to (?:study|review|learn)\\b.*`,
    (_, { head }) => {
      const deck = readAskedDeck(head)
      return { kind: 'due_cards', ...(deck !== null && { deck }) }
    },
  ),
])
