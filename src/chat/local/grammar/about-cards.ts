import { named } from './intent'
import { firstOf, form } from './pattern'

const CARDS = '(?:flash ?-?cards?|cards?)'
const MAKE = '(?:create|make|generate|draft|suggest|extract|build|propose|prepare|write)'
const FROM = '(?:from|for|about|out of|of|on|based on)'
const STORE = '(?:store|save|add|put|keep)'
const DECK =
  '(?:to|in|into) (?:the |my |a )?(?:new )?(?:deck (?:called |named )?(?<deck>.+)|(?<deck2>["“].+["”]|[^"“”]+?) deck)'

export const aboutCards = firstOf([
  form(
    `(?:add|create|make|save|new) (?:an? |one )?(?:new )?${CARDS} ?[:,]? ?(?:q(?:uestion)?|front) ?: ?(?<front>.+?)[,;.]? (?:a(?:nswer)?|back) ?: ?(?<back>.+?) ${DECK}`,
    ({ front = '', back = '', deck, deck2 }) => ({
      kind: 'add_card',
      front: named(front).words,
      back: named(back).words,
      deck: named(deck ?? deck2 ?? '').words,
    }),
  ),
  form(
    `(?:add|create|make|save) (?:an? )?(?:new )?${CARDS} (?<front>["“][^"”]+["”]) ?(?:-|=|:|::|,|with (?:the )?(?:answer|back)|and|->) ?(?<back>["“][^"”]+["”]) ${DECK}`,
    ({ front = '', back = '', deck, deck2 }) => ({
      kind: 'add_card',
      front: named(front).words,
      back: named(back).words,
      deck: named(deck ?? deck2 ?? '').words,
    }),
  ),
  form(
    `(?:(?:${MAKE}|${STORE})(?: me)?(?: some| a few| the| \\d+)? ${CARDS}(?: drafts?)? ${FROM}|turn)(?: the| my| this)?(?: notes?)? (?<note>.+?)(?: notes?)?(?: into ${CARDS})?(?: and ${STORE}(?: them| it| these)?)? ${DECK}`,
    ({ note = '', deck, deck2 }) => ({
      kind: 'store_cards',
      note: named(note),
      deck: named(deck ?? deck2 ?? '').words,
    }),
  ),
  form(
    `(?:${MAKE}(?: me)?(?: some| a few| the| any| \\d+)? ${CARDS}(?: drafts?)? ${FROM}|what ${CARDS} (?:could|can) (?:i|you) make ${FROM})(?: the| my| this)?(?: notes?)?(?: (?:called|titled|named))? (?<note>.+?)(?: notes?)?|turn (?:the |my )?(?:note )?(?<turned>.+?)(?: note)? into ${CARDS}`,
    ({ note, turned }) => ({ kind: 'draft_cards', note: named(note ?? turned ?? '') }),
  ),
  form(
    `(?:what|which|how many|show|list|are there|do i have|any|is there|tell me|give me|see|get|check)\\b.{0,30}\\b${CARDS}\\b.{0,20}\\b(?:due|review|study|learn|today|waiting|left|now)\\b.*|(?:(?:due|show|list|my|the) ){1,3}(?:due )?(?:flash ?-?cards|cards)|(?:what|anything) (?:do i have|is there|have i got)?(?: left)? ?to (?:study|review|learn)\\b.*`,
    () => ({ kind: 'due_cards' }),
  ),
])
