#!/usr/bin/perl
# Answers questions with WWW::RobotRules. The protocol is in README.md.
use strict;
use warnings;
use JSON::PP;
use MIME::Base64;
use WWW::RobotRules;

$| = 1;
my $json = JSON::PP->new->utf8->canonical;
while ( my $line = <STDIN> ) {
    my $question = $json->decode($line);
    my $reply;
    if ( $question->{ask} ne "allowed" ) {
        $reply = { unsupported => "no method for Crawl-delay" };
    }
    else {
        my $body = decode_base64( $question->{robots_base64} // "" );
        if ( defined $question->{robots} ) {
            $body = $question->{robots};
            utf8::encode($body);
        }
        my ( $url, $robots_url ) = @$question{qw(url robots_url)};
        utf8::encode($url);
        utf8::encode($robots_url);
        my $allowed = eval {
            local $SIG{__WARN__} = sub { };
            my $rules = WWW::RobotRules->new( $question->{agent} );
            $rules->parse( $robots_url, $body );
            $rules->allowed($url);
        };
        if ( !defined $allowed ) {
            $reply = { error => "$@" };
        }
        elsif ( $allowed < 0 ) {
            $reply = { unsupported => "the library returns -1: it does not know the site" };
        }
        else {
            $reply = { allowed => $allowed ? JSON::PP::true : JSON::PP::false };
        }
    }
    print $json->encode($reply), "\n";
}
