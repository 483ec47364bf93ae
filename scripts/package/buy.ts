// The exports of the package for buying.

export {buyer, type Agree, type Buyer, type Look, type BudgetStatus} from '../../buyer/buy/buyer.ts';
export type {BuyerOptions} from '../../buyer/buy/settings.ts';
export type {Offer} from '../../buyer/buy/offer.ts';
export type {Bought, Owned} from '../../buyer/buy/owned.ts';
export type {Account} from '../../buyer/buy/authorize.ts';
export type {Catalogue, Entry} from '../../shared/shapes.ts';
export {InputError, type Fault} from '../../shared/fault.ts';
